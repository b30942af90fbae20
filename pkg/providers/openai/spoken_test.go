package openai_test

import (
	"context"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
	"parley/pkg/providers/internal/spoken"
	"parley/pkg/providers/kinds"
	"parley/pkg/providers/openai"
	"parley/pkg/providers/providertest"
)

// TestThoughtsInTheTextAreNoText asks a server that passes on its model's marks. The thoughts
// reach neither the display nor the answer's text.
func TestThoughtsInTheTextAreNoText(t *testing.T) {
	t.Parallel()
	for _, piece := range []int{1, 7, 0} {
		s := serve(t, func(fakemodel.Request) fakemodel.Answer {
			a := fakemodel.Say("<think>The person says hello.</think>\n\nWell, hello!")
			a.Fault.Piece = piece
			return a
		})
		p := provider(t, s.URL())
		shown, thought := "", ""
		emit := func(e providers.StreamEvent) {
			switch e := e.(type) {
			case providers.TextDelta:
				shown += e.Text
			case providers.ReasoningDelta:
				thought += e.Text
			}
		}
		streamed, err := p.ChatStream(t.Context(), providertest.Question(), providertest.Tools(), "m", nil, emit)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := p.Chat(t.Context(), providertest.Question(), providertest.Tools(), "m", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, resp := range []*providers.LLMResponse{streamed, whole} {
			if resp.Content != "Well, hello!" || resp.Reasoning != "The person says hello." {
				t.Errorf("answer is %q, thought %q", resp.Content, resp.Reasoning)
			}
		}
		if shown != "Well, hello!" || thought != "The person says hello." {
			t.Errorf("shown %q, thought %q", shown, thought)
		}
	}
}

// TestCallsInTheTextRun asks servers that pass on the calls of their models as text. The
// forms of the row's family become calls; the same answer of another family stays text.
func TestCallsInTheTextRun(t *testing.T) {
	t.Parallel()
	const hermes = "I look.\n<tool_call>\n{\"name\": \"probe\", \"arguments\": {\"n\": 1}}\n</tool_call>"
	for _, c := range []struct{ model, answer, said string }{
		{"hermes-3", hermes, "I look."},
		{"qwen3-8b", hermes, "I look."},
		{"qwen3-coder", "<tool_call><function=probe><parameter=n>\n1\n</parameter></function></tool_call>", ""},
		{"glm-4.7", "<tool_call>probe<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>", ""},
		{"llama-3.1-8b", `<|python_tag|>{"name": "probe", "parameters": {"n": 1}}`, ""},
		{"llama-3.2-3b", `{"name": "probe", "parameters": {"n": 1}}`, ""},
		{"ministral-8b", `[TOOL_CALLS]probe[ARGS]{"n": 1}`, ""},
		{"deepseek-v3", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>probe<｜tool▁sep｜>{\"n\": 1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", ""},
		{"minimax-m2", "<minimax:tool_call><invoke name=\"probe\"><parameter name=\"n\">1</parameter></invoke></minimax:tool_call>", ""},
		{
			"kimi-k2", "<|tool_calls_section_begin|><|tool_call_begin|>functions.probe:0<|tool_call_argument_begin|>{\"n\": 1}" +
				"<|tool_call_end|><|tool_calls_section_end|>", "",
		},
		{"minicpm4", "<|tool_call_start|>[probe(n=1)]<|tool_call_end|>", ""},
		{"nemotron-nano", `<TOOLCALL>[{"name": "probe", "arguments": {"n": 1}}]</TOOLCALL>`, ""},
		{"gpt-oss-20b", `<|channel|>commentary to=functions.probe <|constrain|>json<|message|>{"n": 1}`, ""},
	} {
		s := serve(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say(c.answer) })
		p := provider(t, s.URL())
		for _, stream := range []bool{false, true} {
			ask := p.Chat
			if stream {
				ask = func(
					ctx context.Context, m []providers.Message, d []providers.ToolDefinition, model string, o map[string]any,
				) (*providers.LLMResponse, error) {
					return p.ChatStream(ctx, m, d, model, o, nil)
				}
			}
			resp, err := ask(t.Context(), providertest.Question(), providertest.Tools(), c.model, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(resp.ToolCalls) != 1 || resp.ToolCalls[0].Name != "probe" || resp.ToolCalls[0].Arguments["n"] != 1.0 || resp.Content != c.said {
				t.Errorf("%s: %+v", c.model, resp)
			}
			if resp, err = ask(t.Context(), providertest.Question(), providertest.Tools(), "claude", nil); err != nil || resp.Content != c.answer {
				t.Errorf("a model that writes no calls: %+v, %v", resp, err)
			}
		}
	}
}

// TestThoughtsThatTheTemplateOpens asks a model that begins its answer inside its
// reasoning.
func TestThoughtsThatTheTemplateOpens(t *testing.T) {
	t.Parallel()
	s := serve(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("Hm.</think>Hello.") })
	p := provider(t, s.URL())
	for model, want := range map[string]string{"deepseek-r1:8b": "Hello.", "deepseek-v3": "Hm.</think>Hello."} {
		if resp, err := p.ChatStream(t.Context(), providertest.Question(), nil, model, nil, nil); err != nil || resp.Content != want {
			t.Errorf("%s: %+v, %v", model, resp, err)
		}
	}
}

// TestFormsOfTheRows finds a reader for each form that a row names.
func TestFormsOfTheRows(t *testing.T) {
	t.Parallel()
	for _, row := range kinds.All() {
		for _, form := range row.Traits.Spoken {
			if spoken.Named(string(form)) == 0 {
				t.Errorf("row %s: there is no form %s", row.Name, form)
			}
		}
	}
}

// TestGrammarGoesToServersThatTakeOne sends a grammar to llama.cpp and to no other server.
func TestGrammarGoesToServersThatTakeOne(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]any{"llamacpp": `root ::= "a"`, "vllm": nil} {
		r := record(t)
		p := provider(t, r.URL, func(o *openai.Options) { o.Kind = kind })
		options := map[string]any{"grammar": `root ::= "a"`}
		if _, err := p.Chat(t.Context(), providertest.Question(), nil, "m", options); err != nil {
			t.Fatal(err)
		}
		if got := r.sent[0]["grammar"]; got != want {
			t.Errorf("%s: grammar is %v, want %v", kind, got, want)
		}
	}
}
