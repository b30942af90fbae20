package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// board shows passing notes.
type board struct{ notes chan string }

func (b *board) Status(_ context.Context, _ channels.Address, note string) error {
	b.notes <- note
	return nil
}

func TestToolActivityIsShownInPassing(t *testing.T) {
	t.Parallel()
	b := &board{notes: make(chan string, 10)}
	g := newGate()
	w := newWorld(t, script(gated), []tools.Tool{g.tool()}, withOptions(func(o *agent.Options) {
		surface(o, func(s *turn.Surface) { s.Status = b })
	}))
	w.write("1", "1", "go")
	<-g.entered
	if got := <-b.notes; got != "using gate" {
		t.Errorf("noted %q", got)
	}
	close(g.open)
	w.expectText("seen: go")
	w.settled()
}

// TestProgressIsShownInPassing: a tool's words about its progress, without the secrets
// in it.
func TestProgressIsShownInPassing(t *testing.T) {
	t.Parallel()
	const secret = "sk-CANARY-0123456789"
	b := &board{notes: make(chan string, 10)}
	slow := fn{name: "slow", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		seen := []string{<-b.notes}
		for _, line := range []string{"one of two", "two of two with " + secret} {
			tools.Progress(ctx, line)
			seen = append(seen, <-b.notes)
		}
		if diff := cmp.Diff([]string{"using slow", "one of two", "two of two with [redacted]"}, seen); diff != "" {
			t.Errorf("noted (-want +got):\n%s", diff)
		}
		return tools.SilentResult("done")
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleUser {
			return call("slow", "{}")
		}
		return say("fine")
	}), []tools.Tool{slow}, withOptions(func(o *agent.Options) {
		surface(o, func(s *turn.Surface) { s.Status = b })
		o.Redact = func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	}))
	w.write("1", "1", "go")
	w.expectText("fine")
	w.settled()
}

func TestWhatBecameOfACallIsToldInALine(t *testing.T) {
	t.Parallel()
	const secret = "sk-CANARY-0123456789"
	fail := func(message string) *tools.ToolResult {
		return tools.Fail(tools.ErrExecutionFailed, message, nil).Result()
	}
	for name, tt := range map[string]struct {
		result *tools.ToolResult
		want   string
	}{
		"text":                {tools.NewToolResult("\n  12 entries \nand more"), "do_work: 12 entries"},
		"nothing":             {tools.NewToolResult(" \n"), "do_work: (no output)"},
		"a list":              {tools.NewToolResult(`{"path":".","entries":[{"name":"a"},{"name":"b"}],"truncated":false}`), "do_work: 2 entries"},
		"members":             {tools.NewToolResult(`{"expression":"2^70","result":1180591620717411303424,"rounded":true}`), "do_work: expression: 2^70, result: 1180591620717411303424"},
		"a member of lines":   {tools.NewToolResult(`{"path":"a.txt","content":"one\ntwo"}`), "do_work: path: a.txt, content: one"},
		"an object cut short": {tools.NewToolResult(`{"path":"a.txt","con`), `do_work: {"path":"a.txt","con`},
		"a long line":         {tools.NewToolResult(strings.Repeat("ä", 200)), "do_work: " + strings.Repeat("ä", 79) + "…"},
		"a secret at the cut": {tools.NewToolResult(strings.Repeat("x", 74) + secret), "do_work: " + strings.Repeat("x", 74) + "[reda…"},
		"a failure":           {fail("no such file\nat all"), "do_work failed: no such file"},
		"a plain failure":     {tools.ErrorResult("broken"), "do_work failed: broken"},
		"a silent failure":    {tools.ErrorResult(""), "do_work failed: (no output)"},
		"for the model alone": {tools.SilentResult("seen"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &board{notes: make(chan string, 10)}
				model := script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
					if last(msgs).Role == providers.RoleUser {
						return call("do_work", "{}")
					}
					<-time.After(time.Second)
					return say("done")
				})
				w := newWorld(t, model, []tools.Tool{work(readOnly(), tt.result)}, withOptions(func(o *agent.Options) {
					surface(o, func(s *turn.Surface) { s.Status = b })
					o.Redact = func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
				}))
				w.write("1", "1", "look")
				w.expectText("done")
				w.settled()
				close(b.notes)
				want, got := []string{"using do_work"}, []string(nil)
				if tt.want != "" {
					want = append(want, tt.want)
				}
				for note := range b.notes {
					got = append(got, note)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("noted (-want +got):\n%s", diff)
				}
			})
		})
	}
}
