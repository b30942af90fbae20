package toolset

import (
	"parley/pkg/tools"
	"parley/pkg/tools/data"
)

// dataTools work on data that they are given.
func dataTools() []tools.Tool { return []tools.Tool{data.New()} }
