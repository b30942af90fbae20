package agent_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/history"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/recall"
)

// past reads the history of a world that is made later than the tool.
type past struct{ w **world }

func (p past) Get(ctx context.Context, id string) (session.Info, error) {
	return (*p.w).eng.Sessions().Get(ctx, id)
}

func (p past) Left(ctx context.Context, chat string, limit int) ([]session.Info, error) {
	return (*p.w).eng.Sessions().Left(ctx, chat, limit)
}

func (p past) Back(ctx context.Context, id string, before uint64, f func(session.Entry) bool) error {
	return (*p.w).eng.Sessions().Back(ctx, id, before, f)
}

// searcher is the tool over the history of a world that is made later.
func searcher(t *testing.T, w **world) tools.Tool {
	t.Helper()
	h := history.New(history.Options{Path: filepath.Join(t.TempDir(), "history"), Store: past{w}})
	t.Cleanup(func() { _ = h.Close() })
	return recall.New(recall.Options{Past: h})
}

// TestASearchTaintsATurn that reads content from outside, and no other; the tool is offered
// once the history lacks entries, and the summary names it.
func TestASearchTaintsATurn(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("words and ", 40)
	for words, asks := range map[string]bool{"page": true, "go on": false} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			var w *world
			var summarised atomic.Bool
			model := func(msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
				m := last(msgs)
				if strings.HasPrefix(m.Content, "Summarise") {
					summarised.Store(true)
					return say("the summary")
				}
				named := strings.Contains(strings.Join(users(msgs), "\n"), "["+recall.Name+" finds the words of that part]")
				offered := slices.ContainsFunc(defs, func(d providers.ToolDefinition) bool { return d.Function.Name == recall.Name })
				if cut := !strings.Contains(strings.Join(users(msgs), "\n"), "the first"); offered != cut || named && !cut {
					t.Errorf("cut %v, offered %v, named %v", cut, offered, named)
				}
				switch {
				case m.Content == "look":
					return call("look", "{}")
				case m.Content == "find":
					if !named {
						t.Errorf("the summary does not name the tool: %.200q", users(msgs)[0])
					}
					return call(recall.Name, `{"query":"`+words+`"}`)
				case m.Role == providers.RoleTool && m.Name == recall.Name:
					return call("note", "{}")
				default:
					return say("heard " + filler)
				}
			}
			w = newWorld(t, script(func(
				_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
			) (*providers.LLMResponse, error) {
				return model(msgs, defs)
			}), []tools.Tool{pageReader(), noter(), searcher(t, &w)}, withOptions(asking), withTokens(1200))
			w.write("1", "1", "the first")
			w.expect()
			for i := 0; !summarised.Load(); i++ {
				if i > 100 {
					t.Fatal("no summary")
				}
				w.write("1", "1", "go on "+filler)
				w.expect()
			}
			w.write("1", "1", "look")
			w.expect()
			w.write("1", "1", "find")
			if o := w.expect(); (len(o.Buttons) > 0) != asks {
				t.Errorf("asked: %v, sent %q", len(o.Buttons) > 0, o.Text)
			}
			w.settled()
		})
	}
}
