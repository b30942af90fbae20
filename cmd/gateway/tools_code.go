package main

import (
	"parley/pkg/config"
	"parley/pkg/tools"
)

// codeTools run code in the sandbox.
func codeTools(*config.Config) []tools.Tool { return nil }
