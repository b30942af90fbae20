//go:build testchannel

package toolset

import (
	"parley/internal/test/testtools"
	"parley/pkg/tools"
)

// envTestEffects names the file that test tools append to.
const envTestEffects = "PARLEY_TEST_EFFECTS"

// testTools returns the test tools where the environment names their file of effects.
func testTools(lookup func(string) (string, bool)) []tools.Tool {
	if lookup == nil {
		return nil
	}
	path, ok := lookup(envTestEffects)
	if !ok || path == "" {
		return nil
	}
	return testtools.All(path)
}
