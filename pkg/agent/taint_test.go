package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

func TestTaint(t *testing.T) {
	t.Parallel()
	noteTool := fn{name: "note", an: tools.Annotations{}, run: func(context.Context, map[string]any) *tools.ToolResult {
		return tools.NewToolResult("noted")
	}}
	find := fn{
		name: "find", an: tools.Annotations{ReadOnly: true, OpenWorld: true, Searches: true},
		run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.NewToolResult(`{"url":"https://found.example/page?x=1"}`)
		},
	}
	letters := fn{
		name: "letters", an: tools.Annotations{ReadOnly: true, OpenWorld: true},
		run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.NewToolResult("Read https://b.example/next, says a letter.")
		},
	}
	type address struct {
		URL string `json:"url"`
	}
	fetch := tools.NewExamined("fetch", "", tools.Annotations{ReadOnly: true, OpenWorld: true},
		func(_ context.Context, in address) (tools.Examination, error) {
			return tools.Examination{Destination: in.URL}, nil
		},
		func(_ context.Context, in address) (any, error) { return "page " + in.URL, nil })
	program := tools.NewExamined("program", "", tools.Annotations{},
		func(context.Context, struct{}) (tools.Examination, error) {
			return tools.Examination{Brings: true}, nil
		}, func(context.Context, struct{}) (any, error) { return "a letter", nil })
	surprised := fn{name: "surprised", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		tools.BringsOutside(ctx)
		return tools.NewToolResult("a letter that has come meanwhile")
	}}
	visit := func(url string) string { return `fetch {"url":"` + url + `"}` }

	for name, c := range map[string]struct {
		says  string
		extra func(*channels.Inbound)
		// calls are made one after the other; asks is the one that is asked for, or -1.
		calls []string
		asks  int
	}{
		"a note":                {"hello", nil, []string{"note {}"}, -1},
		"a note after a page":   {"hello", nil, []string{visit("https://a.example/"), "note {}"}, 1},
		"a note after a search": {"hello", nil, []string{"find {}", "note {}"}, 1},
		"a note about a file": {
			"hello", func(in *channels.Inbound) { in.Attachments = []channels.Attachment{{About: "a file"}} },
			[]string{"note {}"},
			0,
		},
		"a note about something forwarded": {"hello", func(in *channels.Inbound) { in.Forwarded = true }, []string{"note {}"}, 0},
		"a search result":                  {"hello", nil, []string{"find {}", visit("https://found.example/page?x=1")}, -1},
		"a page that a page names":         {"hello", nil, []string{visit("https://a.example/"), visit("https://b.example/?secret")}, 1},
		"a page that an own tool names":    {"hello", nil, []string{"letters {}", visit("https://b.example/next")}, 1},
		"a page that a person names": {
			"read a.example, then B.example/one.", nil,
			[]string{visit("https://a.example/"), visit("https://b.example/one")},
			-1,
		},
		"a longer address than was named": {
			"read b.example/one", nil, []string{visit("https://a.example/"), visit("https://b.example/one?data=1")}, 1,
		},
		"the end of a name that was written": {
			"read notb.example", nil, []string{visit("https://a.example/"), visit("https://b.example/")}, 1,
		},
		"the beginning of one": {
			"read b.example.org", nil, []string{visit("https://a.example/"), visit("https://b.example/")}, 1,
		},
		"what a forwarded text names": {
			"read b.example", func(in *channels.Inbound) { in.Forwarded = true }, []string{visit("https://b.example/")}, 0,
		},
		"a program that may read a letter":        {"hello", nil, []string{"program {}"}, -1},
		"a note after such a program":             {"hello", nil, []string{"program {}", "note {}"}, 1},
		"such a program, twice":                   {"hello", nil, []string{"program {}", "program {}"}, 1},
		"a note after one to which a letter came": {"hello", nil, []string{"surprised {}", "note {}"}, 1},
		"a second search":                         {"hello", nil, []string{"find {}", "find {}"}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var made int
			w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if made == len(c.calls) {
					return say("done")
				}
				tool, args, _ := strings.Cut(c.calls[made], " ")
				made++
				return call(tool, args)
			}), []tools.Tool{noteTool, find, letters, fetch, program, surprised}, withOptions(asking))
			in := channels.Inbound{
				ID: "1", Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"},
				Text: c.says, Direct: true, MessageID: "1", Time: time.Now(),
			}
			if c.extra != nil {
				c.extra(&in)
			}
			w.accept(in)
			o := w.expect()
			w.settled()
			if asked := len(o.Buttons) > 0; asked != (c.asks >= 0) || asked && made != c.asks+1 {
				t.Errorf("sent %q after %d calls", o.Text, made)
			}
		})
	}
}

// TestATaskThatBroughtALetter: a letter that comes while a task works taints the turn
// that gets its result.
func TestATaskThatBroughtALetter(t *testing.T) {
	t.Parallel()
	for _, brought := range []bool{false, true} {
		work := &errand{run: func(ctx context.Context, cb tools.AsyncCallback) *tools.ToolResult {
			return tools.Background(ctx, cb, "started", func(ctx context.Context) *tools.ToolResult {
				if brought {
					tools.BringsOutside(ctx)
				}
				return tools.NewToolResult("its result")
			})
		}}
		begun := make(chan struct{})
		w := newWorld(t, plan(calling("work {}"),
			func([]providers.Message) (*providers.LLMResponse, error) { close(begun); return say("it works") },
			calling("note {}")), []tools.Tool{work, noter()}, withOptions(asking))
		w.write("1", "1", "go")
		<-begun
		w.expectText("it works")
		o := w.expect()
		if asked := len(o.Buttons) > 0; asked != brought || !asked && o.Text != "done" {
			t.Errorf("brought %v, asked %v: %q", brought, asked, o.Text)
		}
		if task := w.endOf(); task.Tainted != brought {
			t.Errorf("brought %v: the task is %+v", brought, task)
		}
	}
}
