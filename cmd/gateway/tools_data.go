package main

import (
	"parley/pkg/tools"
)

// dataTools work on data that they are given.
func dataTools() []tools.Tool { return nil }
