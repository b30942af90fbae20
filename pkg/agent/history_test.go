package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"parley/pkg/agent"
	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// largeTurns are turns of which one part alone is larger than all that a request
// carries. Each gives the answer of round n, counted from 1; an answer without a
// call ends the turn.
func largeTurns() map[string]func(n int) *providers.LLMResponse {
	const size = 100_000
	once := func(c providers.ToolCall) func(int) *providers.LLMResponse {
		return func(n int) *providers.LLMResponse {
			if n > 1 {
				return &providers.LLMResponse{Content: "heard", FinishReason: providers.FinishStop}
			}
			return &providers.LLMResponse{FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{c}}
		}
	}
	eats := func(raw string) providers.ToolCall {
		c := providers.ToolCall{ID: "c1", Type: "function", Name: "eat", RawArguments: raw}
		var err error
		if c.Arguments, err = providers.DecodeArguments(raw); err != nil {
			c.BadArguments = err.Error()
		}
		return c
	}
	long := strings.Repeat("wordy ", size/6)
	id, name, opaque := eats(`{}`), eats(`{}`), eats(`{}`)
	id.ID, name.Name = long, long
	opaque.Extra = json.RawMessage(`"` + long + `"`)
	many := func(rounds, calls int, raw string) func(int) *providers.LLMResponse {
		return func(n int) *providers.LLMResponse {
			if n > rounds {
				return &providers.LLMResponse{Content: "heard", FinishReason: providers.FinishStop}
			}
			r := &providers.LLMResponse{FinishReason: providers.FinishToolCalls}
			for i := range calls {
				c := eats(raw)
				c.ID = fmt.Sprintf("c%d_%d", n, i)
				r.ToolCalls = append(r.ToolCalls, c)
			}
			return r
		}
	}
	return map[string]func(n int) *providers.LLMResponse{
		"a long string":             once(eats(`{"path":"a","content":"` + long + `"}`)),
		"a long list":               once(eats(`{"list":[1` + strings.Repeat(",1", size/2) + `]}`)),
		"a long key":                once(eats(`{"` + long + `":1}`)),
		"arguments that are broken": once(eats(`{"content":"` + long)),
		"a long id":                 once(id),
		"a long name":               once(name),
		"something opaque":          once(opaque),
		"a long result":             once(eats(`{"answer":100000}`)),
		"many rounds":               many(30, 1, `{"answer":9000}`),
		"many calls":                many(8, 32, `{}`),
		"many long calls":           many(2, 32, `{"content":"`+long+`"}`),
		"a long answer": func(int) *providers.LLMResponse {
			return &providers.LLMResponse{Content: long, FinishReason: providers.FinishStop}
		},
	}
}

// eat is a tool that takes anything and answers with as many bytes as it is told.
var eat = fn{
	name: "eat", an: tools.Annotations{ReadOnly: true, Level: tools.LevelChat, MaxOutput: 1 << 20},
	run: func(_ context.Context, args map[string]any) *tools.ToolResult {
		n, _ := args["answer"].(float64)
		return tools.NewToolResult("eaten" + strings.Repeat(" bytes", int(n)/6))
	},
}

func TestNoEntryCostsTheEntriesBeforeIt(t *testing.T) {
	t.Parallel()
	for name, turn := range largeTurns() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var round atomic.Int64
			w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				switch said := users(msgs); {
				case strings.HasPrefix(last(msgs).Content, "Summarise"):
					return say("summary of " + said[0])
				case said[len(said)-1] == "what was first?":
					checkWindow(t, msgs)
					return say(strings.Join(said, ","))
				case said[len(said)-1] == "the large":
					return turn(int(round.Add(1))), nil
				}
				return say("heard")
			}), []tools.Tool{eat}, withOptions(func(o *agent.Options) { o.Limits.Iterations = 40 }))
			w.write("1", "1", "the first")
			w.expectText("heard")
			w.write("1", "1", "the large")
			w.expect()
			w.write("1", "1", "what was first?")
			got := strings.ReplaceAll(w.expect().Text, "\n[the first steps of the work on this are left out of this history]", "")
			if want := "the first,the large,what was first?"; got != want {
				t.Fatalf("the next request holds %.200q, want %q", got, want)
			}
			w.write("1", "1", "/compact")
			if got := w.expect().Text; !strings.HasSuffix(got, "summary of the first") {
				t.Errorf("the summary is of %.200q", got)
			}
			w.settled()
		})
	}
}

// checkWindow compares a request's part of earlier turns with the rules of a model
// server.
func checkWindow(t *testing.T, msgs []providers.Message) {
	t.Helper()
	tokens := 0
	open := map[string]bool{}
	for i := range msgs {
		m := &msgs[i]
		tokens += providers.EstimateTokens(*m)
		for _, c := range m.ToolCalls {
			open[c.ID] = true
			if c.BadArguments == "" && !json.Valid([]byte(c.RawArguments)) {
				t.Errorf("the arguments of %.20s are no JSON: %.100q", c.Name, c.RawArguments)
			}
		}
		if m.Role == providers.RoleTool {
			if !open[m.ToolCallID] {
				t.Errorf("the result of %.20s has no call", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		t.Errorf("%d calls have no result", len(open))
	}
	if tokens > 25_000 {
		t.Errorf("the request carries %d tokens", tokens)
	}
}

// TestAnAlbumDoesNotHideWhatWasSaidBefore has a model that reads less than ten pictures.
func TestAnAlbumDoesNotHideWhatWasSaidBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if said := users(msgs); said[len(said)-1] == "what was first?" {
			return say(fmt.Sprintf("%s, %t", said[0], strings.Contains(said[1], "no longer shown")))
		}
		return say("heard")
	}), nil, withOptions(func(o *agent.Options) {
		o.Limits.ContextTokens = 4000
		o.Files.Fetch = func(_ context.Context, _ channels.Address, _ string, f channels.Attachment) prompt.Fetched {
			return prompt.Fetched{Picture: &providers.Image{MIME: "image/png", Path: f.Name, Size: 100}}
		}
	}))
	w.write("1", "1", "the first")
	w.expectText("heard")
	album := attached("album", "look")
	for range 10 {
		album.Attachments = append(album.Attachments, channels.Attachment{About: "photo", Ref: "r", Name: "a.png"})
	}
	w.accept(album)
	w.expectText("heard")
	w.write("1", "1", "what was first?")
	w.expectText("the first, true")
	w.settled()
}

// TestACallThatRepeatsWhatWasLeftOutIsRefused lets the model copy a call as it
// reads it in its history.
func TestACallThatRepeatsWhatWasLeftOutIsRefused(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	var said atomic.Value
	write := fn{name: "write", an: tools.Annotations{Level: tools.LevelChat}, run: func(context.Context, map[string]any) *tools.ToolResult {
		ran.Add(1)
		return tools.NewToolResult("written")
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if m := last(msgs); m.Role == providers.RoleTool {
			said.Store(m.Content)
			return say("done")
		}
		if last(msgs).Content == "write" {
			return call("write", `{"path":"a","lines":[{"text":"`+strings.Repeat("a word ", 20_000)+`"}]}`)
		}
		for _, m := range msgs {
			for _, c := range m.ToolCalls {
				return call("write", c.RawArguments)
			}
		}
		return say("the history has no call")
	}), []tools.Tool{write})
	w.write("1", "1", "write")
	w.expectText("done")
	w.write("1", "1", "the same again")
	w.expectText("done")
	if got, _ := said.Load().(string); ran.Load() != 1 || !strings.Contains(got, `"type":"invalid_arguments"`) || !strings.Contains(got, "give the whole value") {
		t.Errorf("the tool ran %d times; the model was told %s", ran.Load(), got)
	}
	w.settled()
}
