package native_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldOf(t, ring(), m, reads)
			status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", tc.body)
			if status != http.StatusAccepted {
				t.Fatal(status, answer)
			}
			after := fmt.Sprint(answer["after"])
			s := w.open("ada", "main", after)
			all := s.untilDone()
			s.end()
			if d := cmp.Diff(tc.want, slices.Compact(names(all))); d != "" {
				t.Error(d)
			}
			for _, e := range all {
				if !strings.Contains(e.Data, tc.data[e.Event]) {
					t.Errorf("%s has no %s: %.300s", e.Event, tc.data[e.Event], e.Data)
				}
			}
			if d := cmp.Diff(all, w.connect("ada", after).untilDone()); d != "" {
				t.Errorf("over the socket: %s", d)
			}
			w.cutEverywhere(t, after, all)
			s = w.open("ada", "main", "of-another-process-7")
			if first := s.next(); first.Event != "reset" {
				t.Errorf("behind an unknown id: %+v", first)
			}
			s.end()
		})
	}
}

// narrow is a model that finds a conversation too long once.
type narrow struct {
	faces.Model
	refused *atomic.Bool
}

func (n narrow) ChatStream(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, name string, options map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	if faces.Last(msgs).Content == "more" && n.refused.CompareAndSwap(false, true) {
		return nil, &providers.Error{Kind: providers.KindTooLong}
	}
	return n.Model.ChatStream(ctx, msgs, defs, name, options, emit)
}

// TestAShortenedConversationIsTold where the model finds the conversation too long.
func TestAShortenedConversationIsTold(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, ring(), turn.Model{Provider: narrow{troubled, &atomic.Bool{}}, Name: "m", Choice: "m"})
	var all []faces.Record
	for _, text := range []string{"first", "more"} {
		_, answer := w.do("ada", http.MethodPost, "/chats/main/messages", fmt.Sprintf(`{"message":%q}`, text))
		s := w.open("ada", "main", fmt.Sprint(answer["after"]))
		all = s.untilDone()
		s.end()
	}
	want := []string{"turn", "notice", "token", "message", "done"}
	if d := cmp.Diff(want, slices.Compact(names(all))); d != "" || !strings.Contains(all[1].Data, `"code":"history_shortened"`) {
		t.Errorf("%s %s", d, all[1].Data)
	}
}
