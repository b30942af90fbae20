package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"parley/pkg/providers"
)

// Model is the model that the suite asks for.
const Model = "conformance"

// patience bounds every wait; a provider that passes never needs it.
const patience = 20 * time.Second

// Behaviour is how a model behaves.
type Behaviour string

// The behaviours.
const (
	// Answers any question with some text.
	Answers Behaviour = "answers"
	// CallsTools answers any question with two calls of the tool "probe": {"n":1} and {"n":2}.
	CallsTools Behaviour = "calls tools"
	// RateLimited refuses, and demands to be left alone for 7 seconds.
	RateLimited Behaviour = "rate limited"
	// Overloaded fails with 500 or 529.
	Overloaded Behaviour = "overloaded"
	// OutOfQuota refuses because no credit is left.
	OutOfQuota Behaviour = "out of quota"
	// BadKey refuses the key.
	BadKey Behaviour = "bad key"
	// TooLong refuses because the conversation does not fit.
	TooLong Behaviour = "too long"
	// Cuts breaks the connection in the middle of an answer.
	Cuts Behaviour = "cuts"
	// FailsLate reports an error after the answer has begun.
	FailsLate Behaviour = "fails late"
	// Silent takes the question and says nothing more.
	Silent Behaviour = "silent"
	// Unreachable is not there.
	Unreachable Behaviour = "unreachable"
)

// Setup gives a provider whose model behaves as told; nil where the behaviour
// makes no sense for it. It ends with the test what it has started.
type Setup func(t *testing.T, b Behaviour) providers.LLMProvider

// Run checks a provider.
func Run(t *testing.T, setup Setup) {
	t.Helper()
	checks := []struct {
		name  string
		needs Behaviour
		check func(*testing.T, providers.LLMProvider)
	}{
		{"a whole answer", Answers, checkAnswer},
		{"a streamed answer", Answers, checkStream},
		{"many at once", Answers, checkConcurrent},
		{"a context that has ended", Answers, checkEnded},
		{"tool calls", CallsTools, checkCalls},
		{"a context that ends", Silent, checkCancelled},
		{"rate limit", RateLimited, checkRateLimit},
		{"overload", Overloaded, checkKind(true, providers.KindOverloaded)},
		{"quota", OutOfQuota, checkKind(false, providers.KindQuota)},
		{"key", BadKey, checkKind(false, providers.KindAuth)},
		{"length", TooLong, checkKind(false, providers.KindTooLong)},
		{"cut", Cuts, checkKind(true, providers.KindCut)},
		{"late failure", FailsLate, checkKind(true, providers.KindOverloaded, providers.KindCut)},
		{"nobody there", Unreachable, checkKind(true, providers.KindUnreachable)},
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := setup(t, c.needs)
			if p == nil {
				t.Skipf("this provider has no model that is %q", c.needs)
			}
			c.check(t, p)
		})
	}
}

// Question is a conversation that any provider answers.
func Question() []providers.Message {
	return []providers.Message{
		{Role: providers.RoleSystem, Content: "You are helpful."},
		{Role: providers.RoleUser, Content: "hello"},
	}
}

// Tools offer "probe".
func Tools() []providers.ToolDefinition {
	return []providers.ToolDefinition{{Type: "function", Function: providers.FunctionDefinition{
		Name: "probe", Description: "Probes.",
		Parameters: map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "number"}}},
	}}}
}

// ask asks with or without a stream, and fails the test for an event after the end.
//
//nolint:revive // t first, as in every test
func ask(
	t *testing.T, ctx context.Context, p providers.LLMProvider, stream bool, messages []providers.Message,
) (*providers.LLMResponse, []providers.StreamEvent, error) {
	t.Helper()
	if !stream {
		resp, err := p.Chat(ctx, messages, Tools(), Model, map[string]any{"unknown option": 1})
		return resp, nil, err
	}
	var events []providers.StreamEvent // unguarded: the race detector sees an emit from elsewhere
	returned := false
	resp, err := providers.Stream(ctx, p, messages, Tools(), Model, nil, func(e providers.StreamEvent) {
		if returned {
			t.Error("an event after ChatStream returned")
		}
		events = append(events, e)
	})
	returned = true
	return resp, events, err
}

func complete(t *testing.T, resp *providers.LLMResponse, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("error: %v", err)
	}
	if resp == nil || resp.Content == "" && len(resp.ToolCalls) == 0 {
		t.Fatalf("incomplete answer: %+v", resp)
	}
}

func checkAnswer(t *testing.T, p providers.LLMProvider) {
	t.Helper()
	messages := Question()
	before, _ := json.Marshal(messages) //nolint:errchkjson // strings only
	resp, _, err := ask(t, t.Context(), p, false, messages)
	complete(t, resp, err)
	if after, _ := json.Marshal(messages); !bytes.Equal(after, before) { //nolint:errchkjson // strings only
		t.Errorf("the messages were changed:\n%s\n%s", before, after)
	}
	if resp.Message().Role != providers.RoleAssistant {
		t.Errorf("role = %q", resp.Message().Role)
	}
}

func checkStream(t *testing.T, p providers.LLMProvider) {
	t.Helper()
	resp, events, err := ask(t, t.Context(), p, true, Question())
	complete(t, resp, err)
	shown := ""
	for _, e := range events {
		switch e := e.(type) {
		case providers.TextDelta:
			shown += e.Text
		case providers.Restart:
			shown = ""
		}
	}
	if shown != resp.Content {
		t.Errorf("emitted %q, answered %q", shown, resp.Content)
	}
}

func checkConcurrent(t *testing.T, p providers.LLMProvider) {
	t.Helper()
	var wg sync.WaitGroup
	messages := Question() // shared, because it is read only
	for i := range 40 {
		wg.Go(func() {
			resp, _, err := ask(t, t.Context(), p, i%2 == 0, messages)
			if err != nil || resp.Content == "" {
				t.Errorf("answer %d: %+v, %v", i, resp, err)
			}
		})
	}
	wg.Wait()
}

func checkEnded(t *testing.T, p providers.LLMProvider) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, stream := range []bool{false, true} {
		if resp, _, err := ask(t, ctx, p, stream, Question()); !errors.Is(err, context.Canceled) {
			t.Errorf("stream %v: %+v, %v; want context.Canceled", stream, resp, err)
		}
	}
}

func checkCancelled(t *testing.T, p providers.LLMProvider) {
	t.Helper()
	for _, stream := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		failed := make(chan error, 1)
		go func() {
			_, _, err := ask(t, ctx, p, stream, Question())
			failed <- err
		}()
		select {
		case err := <-failed:
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("stream %v: %v; want the context's error", stream, err)
			}
		case <-time.After(patience):
			t.Fatalf("stream %v: the context has ended, the call has not", stream)
		}
		cancel()
	}
}

func checkCalls(t *testing.T, p providers.LLMProvider) {
	t.Helper()
	for _, stream := range []bool{false, true} {
		resp, _, err := ask(t, t.Context(), p, stream, Question())
		complete(t, resp, err)
		if len(resp.ToolCalls) != 2 {
			t.Fatalf("stream %v: %d tool calls, want 2", stream, len(resp.ToolCalls))
		}
		ids := map[string]bool{}
		for i, c := range resp.ToolCalls {
			if c.Name != "probe" || c.BadArguments != "" || c.Arguments["n"] != float64(i+1) {
				t.Errorf("stream %v: call %d = %+v", stream, i, c)
			}
			ids[c.ID] = true
		}
		if len(ids) != 2 || ids[""] {
			t.Errorf("stream %v: call ids are %v", stream, ids)
		}
	}
}

//nolint:revive // what is expected, no switch
func checkKind(retryable bool, kinds ...providers.ErrorKind) func(*testing.T, providers.LLMProvider) {
	return func(t *testing.T, p providers.LLMProvider) {
		t.Helper()
		for _, stream := range []bool{false, true} {
			resp, _, err := ask(t, t.Context(), p, stream, Question())
			failure := failureOf(t, resp, err)
			fits := false
			for _, k := range kinds {
				fits = fits || failure.Kind == k
			}
			if !fits || failure.Retryable() != retryable || failure.Model != Model || failure.PersonMessage() == "" {
				t.Errorf("stream %v: %+v, want a kind of %v", stream, failure, kinds)
			}
		}
	}
}

func checkRateLimit(t *testing.T, p providers.LLMProvider) {
	t.Helper()
	resp, _, err := ask(t, t.Context(), p, true, Question())
	failure := failureOf(t, resp, err)
	if failure.Kind != providers.KindRateLimited || failure.RetryAfter != 7*time.Second {
		t.Errorf("%+v, want rate_limited after 7s", failure)
	}
}

func failureOf(t *testing.T, resp *providers.LLMResponse, err error) *providers.Error {
	t.Helper()
	var failure *providers.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%+v, %v; want a *providers.Error", resp, err)
	}
	if resp != nil {
		t.Errorf("an answer beside an error: %+v", resp)
	}
	return failure
}
