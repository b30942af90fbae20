package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// sendTool sends a file through the agent of its world, which is set later.
type sendTool struct {
	w *world
	// keeps are the ids under which a content was to be kept.
	keeps []string
	err   error
}

func (s *sendTool) tool() tools.Tool {
	return fn{
		name: "do_work", an: tools.Annotations{Level: tools.LevelRead, Ordered: true},
		run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			err := s.w.agent.Calls().QueueFile(ctx, "a *caption*", func(id string) (channels.File, error) {
				s.keeps = append(s.keeps, id)
				return channels.File{Name: "a.txt", Size: 5}, s.err
			})
			if err != nil {
				return tools.ErrorResult(err.Error())
			}
			return tools.SilentResult("on its way")
		},
	}
}

func TestAFileLeavesWithTheEndOfItsCall(t *testing.T) {
	t.Parallel()
	model := script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Role == providers.RoleUser:
			return call("show", "{}")
		case m.Name == "show":
			return call("do_work", "{}")
		default:
			return say("done: " + m.Content)
		}
	})
	s := &sendTool{}
	show := fn{name: "show", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.UserResult("shown") }}
	w := newWorld(t, model, []tools.Tool{s.tool(), show})
	s.w = w
	w.write("1", "1", "send")
	w.expectText("shown")
	file := w.expect()
	w.expectText("done: on its way")
	w.settled()
	if diff := cmp.Diff(&channels.File{Name: "a.txt", Size: 5}, file.File); diff != "" || file.Text != "a *caption*" {
		t.Errorf("sent %+v: %s", file, diff)
	}
	if len(s.keeps) != 1 || s.keeps[0] != file.ID || !strings.HasSuffix(file.ID, "/2/0/file") {
		t.Errorf("kept under %q, and sent as %q", s.keeps, file.ID)
	}
	if err := w.agent.Calls().QueueFile(t.Context(), "", func(string) (channels.File, error) { return channels.File{}, nil }); err == nil {
		t.Error("a file was taken outside of any turn")
	}
}

func TestAFileThatCannotBeKeptIsNotSent(t *testing.T) {
	t.Parallel()
	model := script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleUser {
			return call("do_work", "{}")
		}
		return say("sorry: " + last(msgs).Content)
	})
	s := &sendTool{err: errors.New("no room")}
	w := newWorld(t, model, []tools.Tool{s.tool()})
	s.w = w
	w.write("1", "1", "send")
	w.expectText("sorry: no room")
	w.settled()
}

// TestAFileFinishesTheMessage that showed the answer so far, so that the rest comes
// below it. The slate takes no files, and shows a text in its place.
func TestAFileFinishesTheMessage(t *testing.T) {
	t.Parallel()
	s := &sendTool{}
	model := looker("I look at it now and send you all that I find there.", "do_work", words(30))
	onSlate(t, model, []tools.Tool{s.tool()}, func(w *world, sl *slate) {
		t := w.t
		s.w = w
		w.write("1", "1", "look")
		w.settled()
		sl.want(t, "a *caption*\n\nThe file `a.txt` (5 bytes) cannot be sent here.", words(30))
		if all := sl.all(); !all[0].opened || !all[1].opened {
			t.Errorf("not opened before: %+v", all)
		}
	})
}
