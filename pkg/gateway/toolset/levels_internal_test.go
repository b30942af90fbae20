package toolset

import (
	"testing"

	"parley/pkg/tools"
)

// TestLevelsFailClosed: for those who use it alone, the registry lets a call without a
// level pass; in the gateway such a call has no rights.
func TestLevelsFailClosed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		have, need tools.Level
		allowed    bool
	}{
		{tools.LevelWrite, tools.LevelRead, true},
		{tools.LevelRead, tools.LevelRead, true},
		{tools.LevelChat, tools.LevelRead, false},
		{tools.LevelNone, tools.LevelChat, false},
		{"", tools.LevelChat, false},
		{"", tools.LevelNone, false},
		{"root", tools.LevelChat, false},
		{tools.LevelExec, "", false},
	}
	for _, tt := range tests {
		err := levelAuthorizer{}.AuthorizeTool(t.Context(), tools.ToolRequest{
			Tool: "a", Annotations: tools.Annotations{Level: tt.need}, Invocation: tools.Invocation{Level: tt.have},
		})
		if (err == nil) != tt.allowed {
			t.Errorf("%q for %q: %v", tt.have, tt.need, err)
		}
	}
}
