package main

import (
	"parley/pkg/config"
	"parley/pkg/tools"
)

// webTools search and read the web.
func webTools(*config.Config, func(string) (string, bool)) []tools.Tool { return nil }
