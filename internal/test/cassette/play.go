package cassette

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
)

// Play has a provider hold the conversation of a cassette with a server that answers in
// pieces of so many bytes, and checks each request and each answer. Connect gives the
// provider for the server at an address without a path. Play returns what was sent.
func Play(t *testing.T, c *Cassette, piece int, connect func(root string) providers.LLMProvider) []Sent {
	t.Helper()
	srv := Serve(t, c, piece)
	p := connect(srv.URL())
	var said []providers.Message // the answers so far
	var answers []Answer         // and the recorded ones
	given := map[string]bool{}   // the ids that they have
	for n := range c.Steps {
		s := &c.Steps[n]
		want, err := ReadRequest(s.Wire, s.Request)
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := s.ReadAnswer()
		if err != nil {
			t.Fatal(err)
		}
		resp := ask(t, p, s, &want, stored(t, messages(t, &want, said)), &recorded)
		sent := srv.Sent()
		if len(sent) != n+1 {
			t.Fatalf("step %d: %d requests arrived", n, len(sent))
		}
		got, err := ReadRequest(s.Wire, sent[n].Body)
		if err != nil {
			t.Fatal(err)
		}
		amend(&want, answers)
		compareRequests(t, n, &want, &got, given)
		for _, call := range recorded.Calls {
			given[call.ID] = call.ID != ""
		}
		said = append(said, resp.Message())
		answers = append(answers, recorded)
	}
	return srv.Sent()
}

// amend has a recorded request give back the texts and signatures of the recorded
// answers. The client that was recorded lost some of those that OpenRouter sends.
func amend(r *Request, answers []Answer) {
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Role == providers.RoleAssistant {
			e.Text, e.Signatures, answers = strings.TrimSpace(answers[0].Text), answers[0].Signatures, answers[1:]
		}
	}
}

// messages is a recorded conversation with the provider's own answers in place of the
// recorded ones, to whose calls the recorded results belong in turn.
func messages(t *testing.T, r *Request, said []providers.Message) []providers.Message {
	t.Helper()
	out := []providers.Message{{Role: providers.RoleSystem, Content: r.System}}
	var open []providers.ToolCall
	for i := range r.Entries {
		e := &r.Entries[i]
		switch e.Role {
		case providers.RoleAssistant:
			if len(said) == 0 {
				t.Fatalf("the recorded request has more answers than were given: %+v", e)
			}
			out = append(out, said[0])
			open, said = said[0].ToolCalls, said[1:]
		case providers.RoleTool:
			if len(open) == 0 {
				t.Fatalf("the recorded result of %q has no call", e.ID)
			}
			out = append(out, providers.Message{Role: providers.RoleTool, ToolCallID: open[0].ID, Name: open[0].Name, Content: e.Text})
			open = open[1:]
		default:
			out = append(out, providers.Message{Role: e.Role, Content: e.Text})
		}
	}
	return out
}

// stored gives messages as a history has them: encoded and read again.
func stored(t *testing.T, in []providers.Message) (out []providers.Message) {
	t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// ask asks as the recorded client did, and compares the answer with the recorded one.
func ask(
	t *testing.T, p providers.LLMProvider, s *Step, r *Request, messages []providers.Message, want *Answer,
) *providers.LLMResponse {
	t.Helper()
	var tools []providers.ToolDefinition
	for _, tool := range r.Tools {
		tools = append(tools, providers.ToolDefinition{Type: "function", Function: providers.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Schema,
		}})
	}
	options := map[string]any{"max_tokens": r.MaxTokens}
	if len(tools) > 0 {
		options["tool_choice"] = "auto"
	}
	if r.Thinking {
		options["reasoning_effort"] = "low"
	}
	var shown, thought string
	var resp *providers.LLMResponse
	var err error
	if s.Stream {
		resp, err = providers.Stream(t.Context(), p, messages, tools, s.Model, options, func(e providers.StreamEvent) {
			switch e := e.(type) {
			case providers.TextDelta:
				shown += e.Text
			case providers.ReasoningDelta:
				thought += e.Text
			}
		})
	} else {
		resp, err = p.Chat(t.Context(), messages, tools, s.Model, options)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.Stream && (shown != resp.Content || thought != resp.Reasoning) {
		t.Errorf("emitted %q and %q, answered %q and %q", shown, thought, resp.Content, resp.Reasoning)
	}
	if resp.FinishReason == "" {
		t.Error("the finish reason is lost")
	}
	compareAnswers(t, want, resp)
	return resp
}

// compareAnswers compares a recorded answer with the provider's.
func compareAnswers(t *testing.T, want *Answer, resp *providers.LLMResponse) {
	t.Helper()
	got := Answer{
		Signatures: want.Signatures, // the next request shows them
		Text:       resp.Content, Reasoning: resp.Reasoning, Prompt: resp.Usage.PromptTokens, Output: resp.Usage.CompletionTokens,
		Cached: resp.Usage.CachedTokens, Thought: resp.Usage.ReasoningTokens,
	}
	ids := map[string]bool{}
	for i, c := range resp.ToolCalls {
		call := Call{ID: c.ID, Name: c.Name, Arguments: value(c.RawArguments), Raw: c.RawArguments}
		if c.BadArguments != "" || c.ID == "" || ids[c.ID] {
			t.Errorf("call %+v", c)
		}
		ids[c.ID] = true
		if i < len(want.Calls) {
			if want.Calls[i].ID == "" { // the provider makes up its own
				call.ID = ""
			}
			if want.Calls[i].Raw == "" { // the wire has values instead of a text
				call.Raw = ""
			}
		}
		got.Calls = append(got.Calls, call)
	}
	if want.Text == "" && len(want.Calls) == 0 || want.Prompt == 0 || want.Output == 0 {
		t.Errorf("the simple reader found no answer: %+v", want)
	}
	if d := cmp.Diff(want, &got); d != "" {
		t.Errorf("answer (-recorded +decoded):\n%s", d)
	}
}

// compareRequests compares a recorded request with the provider's.
func compareRequests(t *testing.T, n int, want, got *Request, given map[string]bool) {
	t.Helper()
	if err := disown(want, given); err != nil {
		t.Errorf("step %d, recorded: %v", n, err)
	}
	if err := disown(got, given); err != nil {
		t.Errorf("step %d, sent: %v", n, err)
	}
	want.Thinking = got.Thinking // each client asks for it in its own way
	if got.Model == "" {         // the wire has it in the address
		want.Model = ""
	}
	want.Choice, got.Choice = strings.TrimPrefix(want.Choice, "auto"), strings.TrimPrefix(got.Choice, "auto") // auto may go unsaid
	for i := range got.Entries {
		got.Entries[i].Text = strings.TrimSpace(got.Entries[i].Text)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("step %d: request (-recorded +sent):\n%s", n, d)
	}
}
