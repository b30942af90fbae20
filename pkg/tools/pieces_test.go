package tools_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

// piecewise is a model that shows its first answer by these events.
type piecewise struct {
	script

	events []providers.StreamEvent
}

func (p *piecewise) ChatStream(
	ctx context.Context, messages []providers.Message, defs []providers.ToolDefinition,
	model string, options map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	for _, e := range p.events {
		emit(e)
	}
	p.events = nil
	return p.Chat(ctx, messages, defs, model, options)
}

// TestPiecesOfCallsHaveTheirID: of several calls that grow at once, each piece tells its
// own, also where another model begins the answer anew.
func TestPiecesOfCallsHaveTheirID(t *testing.T) {
	t.Parallel()
	piece := func(index int, id, arguments string) providers.StreamEvent {
		name := ""
		if id != "" {
			name = "t"
		}
		return providers.ToolCallDelta{Index: index, ID: id, Name: name, Arguments: arguments}
	}
	model := &piecewise{
		script: script{answers: []*providers.LLMResponse{calls(call("c", "t", nil), call("d", "t", nil)), says("fine")}},
		events: []providers.StreamEvent{
			piece(0, "a", `{"x"`), piece(1, "b", ""), piece(0, "", ":1}"), piece(1, "", "{}"),
			providers.Restart{Reason: "cut"},
			piece(1, "d", "{"), piece(0, "c", "{"), piece(1, "", "}"), piece(0, "", "}"),
		},
	}
	j := &ledger{}
	_, err := tools.RunToolLoop(t.Context(), tools.ToolLoopConfig{Provider: model, Tools: registry(fn{name: "t"}), Journal: j}, hello, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range j.events {
		if e.Kind == tools.EventToolCallDelta {
			got = append(got, fmt.Sprint(e.CallID, " ", e.Tool, " ", e.Arguments))
		}
	}
	want := []string{`a t {"x"`, "b t ", "a t :1}", "b t {}", "d t {", "c t {", "d t }", "c t }"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
