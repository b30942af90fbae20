//go:build !testchannel

package toolset

import "parley/pkg/tools"

// testTools returns no tools: only a test build has test tools.
func testTools(func(string) (string, bool)) []tools.Tool { return nil }
