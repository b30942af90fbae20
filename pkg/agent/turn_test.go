package agent_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/message"
)

func TestAPlainTurnAnswersOnceAndKeepsHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("you said " + strings.Join(users(msgs), " then "))
	}), nil)
	w.write("1", "1", "hello")
	w.expectText("you said hello")
	w.write("1", "1", "again")
	w.expectText("you said hello then again")
	w.settled()
	want := []string{"user: hello", "assistant: you said hello", "user: again", "assistant: you said hello then again"}
	if d := cmp.Diff(want, w.transcript("1")); d != "" {
		t.Error(d)
	}
}

func TestARedeliveredMessageIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("once")
	}), nil)
	in := channels.Inbound{
		ID:      "same",
		Kind:    channels.KindMessage,
		Address: chatAddr("1"),
		Sender:  channels.Sender{ID: "1"},
		Text:    "hi",
		Direct:  true,
	}
	for range 5 {
		w.accept(in)
	}
	w.expectText("once")
	w.settled()
}

func TestToolResultsGoToTheModelAndForUserToTheChat(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult {
		return &tools.ToolResult{ForLLM: "for the model", ForUser: "for the person"}
	}}
	hush := fn{name: "hush", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult {
		return &tools.ToolResult{ForLLM: "quiet", ForUser: "never shown", Silent: true}
	}}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch m := last(msgs); {
		case m.Role == providers.RoleUser && m.Content == "repeat", m.Role == providers.RoleUser && m.Content == "look":
			return call("look", "{}")
		case m.Role == providers.RoleUser:
			return call("hush", "{}")
		case users(msgs)[len(users(msgs))-1] == "repeat":
			return say(" for the person\n")
		default:
			return say("result: " + m.Content)
		}
	}), []tools.Tool{look, hush})
	w.write("1", "1", "look")
	w.expectText("for the person")
	w.expectText("result: for the model")
	w.write("1", "1", "repeat")
	w.expectText("for the person") // the final answer repeats it and is dropped
	w.write("1", "1", "hush")
	w.expectText("result: quiet")
	w.settled()
}

func TestTheMessageToolSendsToItsOwnChatAndNoReplyStaysSilent(t *testing.T) {
	t.Parallel()
	queue := &lateQueue{}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role == providers.RoleUser && last(msgs).Content == "nothing" {
			return say("NO_REPLY")
		}
		if last(msgs).Role == providers.RoleUser {
			return call("message", `{"text":"from the tool"}`)
		}
		return say(" NO_REPLY ")
	}), []tools.Tool{message.New(queue)})
	queue.agent.Store(w.agent)
	w.write("7", "7", "send")
	o := w.expect()
	if o.Text != "from the tool" || o.Address != chatAddr("7") {
		t.Errorf("sent %+v", o)
	}
	w.settled()
	w.write("7", "7", "nothing") // a person asked and no answer was sent: silence is not allowed
	w.expectText("I have nothing to add.")
	w.settled()
}

// lateQueue closes the circle between a tool and the agent that is made after it.
type lateQueue struct{ agent atomic.Pointer[agent.Agent] }

func (q *lateQueue) QueueMessage(ctx context.Context, channel, chatID, text string) error {
	return q.agent.Load().Calls().QueueMessage(ctx, channel, chatID, text)
}

func TestAFailingModelEndsInOnePlainSentenceAndTheNextMessageWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "fail" {
			return nil, &providers.Error{Kind: providers.KindUnreachable, Server: "http://127.0.0.1:9", Model: "script"}
		}
		return say("fine")
	}), nil)
	w.write("1", "1", "fail")
	if got := w.expect().Text; !strings.Contains(got, "http://127.0.0.1:9") || strings.Contains(got, "\n") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "work")
	w.expectText("fine")
	w.settled()
	info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
	if err != nil || len(info.Failed) != 1 || info.Failed[0].Outcome != session.OutcomeFailed {
		t.Errorf("failed items %+v, %v", info.Failed, err)
	}
}

func TestAnAnswerThatIsNotWholeSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		switch question := last(msgs).Content; question {
		case providers.FinishLength, providers.FinishContentFilter:
			return &providers.LLMResponse{Content: "half", FinishReason: question}, nil
		default:
			return nil, &providers.Error{Kind: providers.KindRecited, Code: "RECITATION", Model: "script"}
		}
	}), nil)
	for question, want := range map[string]string{
		providers.FinishLength: "length limit", providers.FinishContentFilter: "content filter", "recite": "published text",
	} {
		w.write("1", question, question)
		if got := w.expect().Text; !strings.Contains(got, want) || strings.HasPrefix(got, "half") != (question != "recite") {
			t.Errorf("%s: told %q", question, got)
		}
	}
	w.settled()
}

func TestAPanicInATurnIsToldAndOthersGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "panic" {
			panic("boom")
		}
		return say("fine")
	}), nil)
	w.write("1", "1", "panic")
	if got := w.expect().Text; !strings.Contains(got, "internal error") || strings.Contains(got, "boom") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "work")
	w.expectText("fine")
	w.settled()
}

func TestAConversationTooLongIsHalvedOnceAndThePersonsMessageStays(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "Summarise this") {
			return say("a summary")
		}
		requests.Add(1)
		if last(msgs).Content == "never fits" || len(users(msgs)) > 8 {
			return nil, &providers.Error{Kind: providers.KindTooLong, Model: "script"}
		}
		return say("answer to " + last(msgs).Content)
	}), nil)
	for _, m := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		w.write("1", "1", m)
		w.expectText("answer to " + m)
	}
	w.settled()
	requests.Store(0)
	w.write("1", "1", "never fits")
	if got := w.expect().Text; !strings.Contains(got, "too long") {
		t.Errorf("told %q", got)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
	w.settled()
}

func TestTheIterationLimitIsTold(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("x") }}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "iteration limit reached") {
			return say("as far as I got")
		}
		return call("look", "{}")
	}), []tools.Tool{look}, withOptions(func(o *agent.Options) { o.Limits.Iterations = 3 }))
	w.write("1", "1", "go")
	got := w.expect().Text
	if !strings.Contains(got, "3 steps") {
		t.Errorf("told %q", got)
	}
	w.settled()
}

// TestTheIterationLimitIsToldWithoutAnAnswer: an empty answer at the limit is not
// the model's fault.
func TestTheIterationLimitIsToldWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, shows := range map[string]bool{"nothing was sent": false, "a tool has shown something": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult {
				if shows {
					return tools.UserResult("x")
				}
				return tools.NewToolResult("x")
			}}
			w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				if strings.HasPrefix(last(msgs).Content, "iteration limit reached") {
					return say("")
				}
				return call("look", "{}")
			}), []tools.Tool{look}, withOptions(func(o *agent.Options) { o.Limits.Iterations = 3 }))
			w.write("1", "1", "go")
			if shows {
				for range 3 {
					w.expectText("x")
				}
			}
			if got := w.expect().Text; !strings.HasPrefix(got, "I stopped after 3 steps") {
				t.Errorf("told %q", got)
			}
			w.settled()
		})
	}
}

func TestWhatLeavesIsRedacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return say("the key is CANARY-1")
	}), nil, withOptions(func(o *agent.Options) {
		o.Redact = func(s string) string { return strings.ReplaceAll(s, "CANARY-1", "[redacted]") }
	}))
	w.write("1", "1", "tell CANARY-1")
	w.expectText("the key is [redacted]")
	w.settled()
	if got := strings.Join(w.transcript("1"), "\n"); strings.Contains(got, "CANARY-1") {
		t.Errorf("a secret is in the history, and so in later prompts:\n%s", got)
	}
}

func TestMessagesOfOneAnswerLeaveInOrder(t *testing.T) {
	t.Parallel()
	queue := &lateQueue{}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Role != providers.RoleUser {
			return say("NO_REPLY")
		}
		resp := &providers.LLMResponse{FinishReason: providers.FinishToolCalls}
		for _, text := range []string{"one", "two", "three", "four"} {
			resp.ToolCalls = append(resp.ToolCalls, providers.ToolCall{ID: "id " + text, Name: "message", Arguments: map[string]any{"text": text}})
		}
		return resp, nil
	}), []tools.Tool{message.New(queue)})
	queue.agent.Store(w.agent)
	w.write("1", "1", "count")
	for _, want := range []string{"one", "two", "three", "four"} {
		w.expectText(want)
	}
	w.settled()
}

func TestCallIDsAreUniqueInEveryRequest(t *testing.T) {
	t.Parallel()
	look := fn{name: "look", an: readOnly(), run: func(context.Context, map[string]any) *tools.ToolResult { return tools.NewToolResult("x") }}
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		seen, open := map[string]bool{}, map[string]bool{}
		for _, m := range msgs {
			for _, c := range m.ToolCalls {
				if seen[c.ID] {
					t.Errorf("the id %q stands twice in one request", c.ID)
				}
				seen[c.ID], open[c.ID] = true, true
			}
			if m.Role == providers.RoleTool {
				if !open[m.ToolCallID] {
					t.Errorf("a result answers %q, which is not open", m.ToolCallID)
				}
				delete(open, m.ToolCallID)
			}
		}
		if last(msgs).Role == providers.RoleUser {
			return call("look", "{}") // the same id every time
		}
		return say("done")
	}), []tools.Tool{look})
	for range 3 {
		w.write("1", "1", "go")
		w.expectText("done")
	}
	w.settled()
}
