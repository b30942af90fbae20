package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/events"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// readable gives the world a hub, of which each address is read.
func readable(w *world) {
	w.hub = events.New(events.Options{Redact: w.opts.Redact})
	surface(&w.opts, func(s *turn.Surface) { s.Events = w.hub })
}

// follow reads the chat 1 from its running turn on.
func (w *world) follow() *events.Reader {
	w.t.Helper()
	r, err := w.hub.Follow(chatAddr("1"), "")
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

var (
	anID   = regexp.MustCompile(`"(id|turn|ref|message)":"([^"]*/)*[^"]*"`)
	aTime  = regexp.MustCompile(`"duration_ms":\d+`)
	noText = regexp.MustCompile(`,"[a-z_]+":""`)
)

// untilDone are the events until the turn is done, one line each.
func untilDone(t *testing.T, r *events.Reader) []string {
	t.Helper()
	defer r.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var lines []string
	for {
		batch, err := r.Next(ctx)
		if err != nil {
			t.Fatalf("%v after %q", err, lines)
		}
		for i := range batch {
			b, err := json.Marshal(batch[i].Data)
			if err != nil {
				t.Fatal(err)
			}
			line := batch[i].Name() + " " + noText.ReplaceAllString(aTime.ReplaceAllString(string(b), `"duration_ms":0`), "")
			if batch[i].Name() == "turn" || batch[i].Name() == "done" || batch[i].Name() == "error" {
				line = anID.ReplaceAllString(line, `"$1":"#"`)
			}
			if lines = append(lines, line); batch[i].Name() == "done" {
				return lines
			}
		}
	}
}

// TestTheEventsOfATurn with a call, in their order.
func TestTheEventsOfATurn(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		tools.Progress(ctx, "half of it")
		return tools.NewToolResult(strings.Repeat("long ", 100))
	}}
	w := newWorld(t, streamer{
		script: func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Role == providers.RoleUser {
				resp, err := call("look", `{"path":"a.md"}`)
				resp.Content = "I look "
				return resp, err
			}
			return say("one two ")
		},
	}, []tools.Tool{look}, readable)
	r := w.follow()
	w.write("1", "1", "go")
	want := []string{
		`turn {"turn":"#","chat":"1","message":"#","text":"go"}`,
		`token {"text":"I "}`, `token {"text":"look "}`,
		`tool_call {"id":"call_look","name":"look","arguments":{"path":"a.md"},"run":"server","summary":"look: a.md","round":1}`,
		`tool_executing {"id":"call_look","name":"look"}`,
		`tool_progress {"id":"call_look","text":"half of it"}`,
		`tool_result {"id":"call_look","name":"look","result":"` + strings.Repeat("long ", 100) + `","is_error":false,"duration_ms":0}`,
		`token {"text":"one "}`, `token {"text":"two "}`,
	}
	got := untilDone(t, r)
	if d := cmp.Diff(want, got[:min(len(want), len(got))]); d != "" {
		t.Error(d)
	}
	rest := got[len(want):]
	if len(rest) != 2 || !strings.HasPrefix(rest[0], "message ") || !strings.Contains(rest[0], `"text":"one two"`) ||
		!strings.HasPrefix(rest[1], "done ") || !strings.Contains(rest[1], `"rounds":2,"stop":"end"`) {
		t.Errorf("the end is %q", rest)
	}
}

// TestTheEndsOfATurn: each has a done with its reason, and an error says why.
func TestTheEndsOfATurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model script
		want  []string // each is in a line, in this order
	}{
		"an error": {
			func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
				return nil, errors.New("broken")
			},
			[]string{`turn {`, `error {"code":"turn_failed",`, `message {`, `"rounds":0,"stop":"error"}`},
		},
		"the limit of rounds": {
			func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
				return call("nothing", "{}")
			},
			[]string{`turn {`, `tool_call {`, `"is_error":true`, `notice {"code":"max_tool_iterations"`, `message {`, `"stop":"`},
		},
		"a cut": {
			func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
				return &providers.LLMResponse{Content: "half of", FinishReason: providers.FinishLength}, nil
			},
			[]string{`turn {`, `token {"text":"half of"}`, `message {`, `"rounds":1,"stop":"length"}`},
		},
		"a command": {nil, []string{`turn {`, `message {`, `"rounds":0,"stop":"end"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.model, nil, readable)
			r := w.follow()
			said := "go"
			if c.model == nil {
				said = "/help"
			}
			w.write("1", "1", said)
			got := untilDone(t, r)
			at := 0
			for _, line := range got {
				if at < len(c.want) && strings.Contains(line, c.want[at]) {
					at++
				}
			}
			if at < len(c.want) {
				t.Errorf("%q is missing in %q", c.want[at], got)
			}
		})
	}
}

// TestAStoppedTurnIsDone, and its reader is told so.
func TestAStoppedTurnIsDone(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	w := newWorld(t, hanging(asked), nil, readable)
	r := w.follow()
	w.write("1", "1", "go")
	<-asked
	w.write("1", "1", "/stop")
	if got := untilDone(t, r); !strings.Contains(got[len(got)-1], `"stop":"stopped"`) {
		t.Errorf("%q", got)
	}
}

// TestAResumedTurnIsToldFromItsBeginning: the readers of the new process see the calls of
// the old one, too.
func TestAResumedTurnIsToldFromItsBeginning(t *testing.T) {
	t.Parallel()
	blocked := make(chan struct{}, 1)
	first := fn{name: "first", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult {
		return tools.NewToolResult("first done")
	}}
	effect := fn{name: "effect", run: func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		blocked <- struct{}{}
		<-ctx.Done()
		return tools.ErrorResult("cut off")
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch {
		case last(msgs).Role == providers.RoleUser:
			return call("first", "{}")
		case last(msgs).Content == "first done":
			return call("effect", "{}")
		default:
			return say("done")
		}
	}), []tools.Tool{first, effect}, withGrace(time.Millisecond), readable)
	w.write("1", "1", "go")
	<-blocked
	w.stop()
	readable(w)
	r := w.follow()
	w.start()
	var names []string
	for _, line := range untilDone(t, r) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
		if name == "tool_result" && strings.Contains(line, "effect") && !strings.Contains(line, "interrupted") {
			t.Error(line)
		}
	}
	want := []string{"turn", "tool_call", "tool_result", "tool_call", "tool_result", "token", "message", "done"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
}

// TestEventsAreRedacted as the messages are.
func TestEventsAreRedacted(t *testing.T) {
	t.Parallel()
	const secret = "sk-CANARY-0123456789"
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("the key is " + secret)
	}), nil, withOptions(func(o *agent.Options) {
		o.Redact = func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	}), readable)
	r := w.follow()
	w.write("1", "1", "go")
	if got := strings.Join(untilDone(t, r), "\n"); strings.Contains(got, secret) || strings.Count(got, "[redacted]") != 3 {
		t.Error(got)
	}
}

// inPieces is a model that shows the arguments of its call in pieces, of which the first
// one alone names the call.
type inPieces struct {
	script

	pieces []string
}

func (m inPieces) ChatStream(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, model string, options map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp, err := m.Chat(ctx, msgs, defs, model, options)
	if err != nil || len(resp.ToolCalls) == 0 {
		return resp, err
	}
	for i, piece := range m.pieces {
		d := providers.ToolCallDelta{Arguments: piece}
		if i == 0 {
			d.ID, d.Name = resp.ToolCalls[0].ID, resp.ToolCalls[0].Name
		}
		emit(d)
	}
	return resp, nil
}

// TestNoSecretPassesInThePiecesOfACall: its beginning waits for the rest, as in a text.
func TestNoSecretPassesInThePiecesOfACall(t *testing.T) {
	t.Parallel()
	const secret, cut = "sk-CANARY-0123456789", 6
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	unsettled := func(s string) int {
		for n := min(len(s), len(secret)-1); n > 0; n-- {
			if strings.HasPrefix(secret, s[len(s)-n:]) {
				return n
			}
		}
		return 0
	}
	arguments := `{"key":"` + secret + `"}`
	at := strings.Index(arguments, secret) + cut
	model := inPieces{pieces: []string{arguments[:at], arguments[at:]}, script: script(
		func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
			if last(msgs).Role == providers.RoleTool {
				return say("done")
			}
			return call("note", arguments)
		})}
	w := newWorld(t, model, []tools.Tool{noter()}, func(w *world) {
		w.hub = events.New(events.Options{Redact: redact, Unsettled: unsettled})
		surface(&w.opts, func(s *turn.Surface) { s.Events = w.hub })
	})
	r := w.follow()
	defer r.Close()
	w.write("1", "1", "go")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	said, done := "", false
	for !done {
		batch, err := r.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch {
			switch d := batch[i].Data.(type) {
			case events.CallDelta:
				said += d.Arguments
			case events.Done:
				done = true
			default:
			}
		}
	}
	if said != redact(arguments) {
		t.Errorf("the pieces are %q", said)
	}
}
