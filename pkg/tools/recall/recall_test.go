package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/history"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/recall"
)

// past gives what it is told to, and what it is told to give later from its second search on.
type past struct {
	found history.Found
	later *history.Found
	hit   history.Hit
	err   error
	query history.Query
}

func (p *past) Search(_ context.Context, q history.Query) (history.Found, error) {
	p.query = q
	found := p.found
	if p.later != nil {
		p.found, p.later = *p.later, nil
	}
	return found, p.err
}

func (p *past) Entry(context.Context, string, string) (history.Hit, error) { return p.hit, p.err }

// caller is a model that makes one call, and the same again where the result tells it to, three in all. It keeps the last result.
type caller struct {
	args, got string
	calls     int
}

func (c *caller) Chat(
	_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	if last := msgs[len(msgs)-1]; last.Role == providers.RoleTool {
		c.got = last.Content
		if c.calls == 3 || !strings.Contains(c.got, "call again") {
			return &providers.LLMResponse{Content: "done", FinishReason: "stop"}, nil
		}
	}
	c.calls++
	return &providers.LLMResponse{
		ToolCalls:    []providers.ToolCall{{ID: strconv.Itoa(c.calls), Type: "function", Name: recall.Name, RawArguments: c.args}},
		FinishReason: "tool_calls",
	}, nil
}

// call runs the tool in a session, and says whether the result brings content from outside.
func call(t *testing.T, p *past, id, args string) (got string, outside bool) {
	t.Helper()
	r := tools.NewToolRegistry()
	r.Register(recall.New(recall.Options{
		Past: p, Location: func(context.Context) *time.Location { return time.FixedZone("CET", 3600) },
	}))
	model := &caller{args: args}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Channel: "loop", Chat: "c", Session: id, Level: tools.LevelChat})
	_, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{
		Provider: model, Tools: r, Brings: func(tools.Call) func() { return func() { outside = true } },
	}, []providers.Message{{Role: providers.RoleUser, Content: "go"}}, "loop", "c")
	if err != nil {
		t.Fatal(err)
	}
	return model.got, outside
}

// hit is an entry that was found.
func hit(id string, seq uint64, e session.Entry, piece string) history.Hit {
	e.Seq, e.Time = seq, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return history.Hit{Session: id, Entry: e, Piece: piece}
}

// TestAnswer tells of each entry when it was said, by whom, and whether before /new; one with content from
// outside marks the call.
func TestAnswer(t *testing.T) {
	t.Parallel()
	of := func(role, name string) session.Entry {
		return session.Entry{Message: providers.Message{Role: role, Name: name}}
	}
	hits := []history.Hit{
		hit("s1", 7, of("user", ""), "Ann: 417"),
		hit("s0", 2, of("assistant", ""), "it costs 417"),
		hit("s0", 1, of("tool", "web_fetch"), "a page"),
		hit("s1", 3, session.Entry{Summary: true, Message: providers.Message{Role: "user"}}, "they spoke"),
	}
	p := &past{found: history.Found{Hits: hits, Behind: true, Unread: 3}}
	got, outside := call(t, p, "s1", `{"query":" what was 417 "}`)
	want := `{"entries":[` +
		`{"entry":"s1/7","time":"2026-03-01 13:00:00 CET","from":"message","text":"Ann: 417"},` +
		`{"entry":"s0/2","time":"2026-03-01 13:00:00 CET","from":"you","conversation":"earlier","text":"it costs 417"},` +
		`{"entry":"s0/1","time":"2026-03-01 13:00:00 CET","from":"result of web_fetch","conversation":"earlier","text":"a page"},` +
		`{"entry":"s1/3","time":"2026-03-01 13:00:00 CET","from":"summary","text":"they spoke"}],` +
		`"note":"Not all of the past is searched yet: call again to go on. Damaged entries that could not be searched: 3."}`
	if d := cmp.Diff(want, got); d != "" || outside {
		t.Errorf("outside %v: %s", outside, d)
	}
	if q := p.query; q.Session != "s1" || q.Text != "what was 417" || q.Owner == "" || q.Limit != 10 {
		t.Errorf("it asked for %+v", q)
	}
	p.found.Hits[2].Entry.Outside = true
	if _, outside := call(t, p, "s1", `{"query":"417"}`); !outside {
		t.Error("an entry with content from outside marks no call")
	}
	if got, _ := call(t, &past{}, "s1", `{"query":"417"}`); !strings.Contains(got, "No entry has any") {
		t.Errorf("without a hit: %s", got)
	}
}

// TestACallAgainGoesOn searches on with the same words, as the note of a search that is behind asks for.
func TestACallAgainGoesOn(t *testing.T) {
	t.Parallel()
	reached := history.Found{Hits: []history.Hit{hit("s1", 7, session.Entry{Message: providers.Message{Role: "user"}}, "the code is 4711")}}
	p := &past{found: history.Found{Behind: true}, later: &reached}
	if got, _ := call(t, p, "s1", `{"query":"code"}`); !strings.Contains(got, "4711") || strings.Contains(got, "call again") {
		t.Errorf("the last call: %s", got)
	}
}

// TestAnEntry is read whole, but for one that is very long.
func TestAnEntry(t *testing.T) {
	t.Parallel()
	for size, cut := range map[int]bool{10: false, 32 << 10: false, 33 << 10: true} {
		p := &past{hit: hit("s0", 9, session.Entry{Outside: true}, strings.Repeat("x", size))}
		got, outside := call(t, p, "s1", `{"entry":"s0/9"}`)
		var a struct {
			Entries []struct{ Entry, Text string }
			Note    string
		}
		if err := json.Unmarshal([]byte(got), &a); err != nil || len(a.Entries) != 1 || a.Entries[0].Entry != "s0/9" {
			t.Fatalf("%d: %.200s, %v", size, got, err)
		}
		if n := len(a.Entries[0].Text); n > 33<<10 || (n >= size) == cut || (a.Note != "") != cut || !outside {
			t.Errorf("%d: %d bytes, outside %v, %q", size, n, outside, a.Note)
		}
	}
}

// TestRefusals name their cause.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err      error
		id, args string
		want     string
	}{
		"no words":         {nil, "s1", `{}`, "query must be"},
		"blank words":      {nil, "s1", `{"query":" "}`, "query must be"},
		"long words":       {nil, "s1", `{"query":"` + strings.Repeat("a", 301) + `"}`, "query must be"},
		"both":             {nil, "s1", `{"query":"a","entry":"s1/1"}`, "not both"},
		"no such entry":    {session.ErrNotFound, "s1", `{"entry":"s2/3"}`, `this chat has no entry \"s2/3\"`},
		"a damaged entry":  {session.ErrCorrupt, "s1", `{"entry":"s1/2"}`, "damaged"},
		"no session":       {nil, "", `{"query":"a"}`, "only in a conversation"},
		"a broken store":   {errors.New("the disk is gone"), "s1", `{"query":"b"}`, "execution_failed"},
		"a broken entry":   {errors.New("the disk is gone"), "s1", `{"entry":"s1/1"}`, "execution_failed"},
		"too many":         {history.ErrBusy, "s1", `{"query":"b"}`, "too many searches"},
		"another argument": {nil, "s1", `{"query":"a","chat":"2"}`, "invalid_arguments"},
	} {
		if got, _ := call(t, &past{err: c.err}, c.id, c.args); !strings.Contains(got, `"error":true`) || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
