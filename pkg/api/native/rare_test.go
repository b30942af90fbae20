package native_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// troubled is a model that begins its first answer anew, calls a tool for which the limit of rounds
// has no second time, and fails where it is told to.
func troubled(msgs []providers.Message, defs []providers.ToolDefinition, emit func(providers.StreamEvent)) *providers.LLMResponse {
	seen := slices.ContainsFunc(msgs, func(m providers.Message) bool { return m.Role == providers.RoleTool })
	switch {
	case faces.Last(msgs).Content == "fail":
		return nil
	case !seen && len(defs) > 0:
		emit(providers.TextDelta{Text: "not this"})
		emit(providers.Restart{})
		return faces.Calls("I look", "look", `{}`)
	default:
		return faces.Says("the end")
	}
}

// TestTheRareEventsInTheirOrder: an answer that begins anew, a result that is cut, the limit of
// rounds, a tool that is required and not there, a model that fails, and an id that is not known.
func TestTheRareEventsInTheirOrder(t *testing.T) {
	t.Parallel()
	reads := faces.Tool("look", tools.Annotations{ReadOnly: true, Level: tools.LevelChat, MaxOutput: 200}, func(context.Context) string {
		return strings.Repeat("much ", 1000)
	})
	m := turn.Model{Provider: faces.Model(troubled), Name: "m", Choice: "m"}
	w := newWorldOf(t, ring(), m, reads)
	for name, tc := range map[string]struct {
		body string
		want []string
		data map[string]string // a part of the data of an event
	}{
		"a restart, a cut result and the limit": {
			`{"message":"go","max_tool_iterations":1}`,
			[]string{
				"turn", "token", "restart", "token", "tool_call", "tool_executing", "tool_result", "token", "notice", "message", "done",
			},
			map[string]string{
				"restart": `"attempt":1`, "tool_result": `"truncated":true`, "notice": `"code":"max_tool_iterations"`,
				"done": `"stop":"max_tool_iterations"`,
			},
		},
		"a required tool that is not there": {
			`{"message":"go","tools":[],"tool_choice":"required"}`,
			[]string{"turn", "notice", "token", "message", "done"},
			map[string]string{"notice": `"code":"tools_unavailable"`, "done": `"stop":"end"`},
		},
		"a failure": {
			`{"message":"fail"}`,
			[]string{"turn", "error", "message", "done"},
			map[string]string{"error": `"code":"turn_failed"`, "done": `"stop":"error"`},
		},
	} {
		chat := strings.NewReplacer(" ", "-", ",", "").Replace(name)
		status, answer := w.do("ada", http.MethodPost, "/chats/"+chat+"/messages", tc.body)
		if status != http.StatusAccepted {
			t.Errorf("%s: %d %v", name, status, answer)
			continue
		}
		s := w.open("ada", chat, fmt.Sprint(answer["after"]))
		all := s.untilDone()
		s.end()
		if d := cmp.Diff(tc.want, slices.Compact(names(all))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		for _, e := range all {
			if !strings.Contains(e.Data, tc.data[e.Event]) {
				t.Errorf("%s: %s has no %s: %.300s", name, e.Event, tc.data[e.Event], e.Data)
			}
		}
	}
	s := w.open("ada", "a-failure", "of-another-process-7")
	if first := s.next(); first.Event != "reset" {
		t.Errorf("behind an unknown id: %+v", first)
	}
	s.end()
}
