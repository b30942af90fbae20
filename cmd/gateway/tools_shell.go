package main

import (
	"parley/pkg/config"
	"parley/pkg/tools"
)

// commandTools run commands in the sandbox.
func commandTools(*config.Config) []tools.Tool { return nil }
