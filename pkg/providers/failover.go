package providers

import (
	"context"
	"time"
)

// Target is one model of a [Failover].
type Target struct {
	// Provider asks the model, and Spares ask the same model with further keys, in this
	// order: one is asked where the key before it is refused, out of quota or over its rate.
	Provider LLMProvider
	Spares   []LLMProvider
	// Model is asked for instead of the caller's; empty keeps the caller's.
	Model string
	// Total bounds each request to the model; 0 means no bound. A caller waits at most for
	// the sum of all targets, and has no bound where one of them has none.
	Total time.Duration
	// Health is shared by the failovers that ask this model; nil means that this one alone
	// does.
	Health *Health
}

// Failover asks the first target, and the next ones where another model may help. It
// streams; [Restart] announces that another attempt begins anew.
//
// It asks each model in turn, and once more after a short failure: the second attempt
// begins within policy.Switch of the first. A model hands over to the next one at once where
// it failed later, or its server asks for a longer pause, has no right key, or let a time
// limit pass. A model whose calls cannot be read, or whose answer is empty, hands over as
// well. When all models have failed, those that may recover are asked again, as
// [RetryPolicy] bounds it. An error of [KindTooLong] of the first target is returned at once,
// because the caller can shorten the conversation; another target may only have a smaller
// context, so the request goes on. When all fail, the error holds every failure, and errors.As
// finds one of [KindTooLong], or else that of the first target, which is the one that a person
// should act on.
//
// Requests share their experience: a model that failed several times in a row is asked
// last for a while, and then by one request at first; a key over its rate or out of quota
// rests. [OptionTurn] names the turn of a request: the requests of a turn
// stay with the model that answered the first of them, as long as it answers.
func Failover(policy RetryPolicy, targets ...Target) LLMProvider {
	return newFailover(policy, targets)
}

// OptionTurn is the option with the name (string) of the turn that asks.
const OptionTurn = "turn"

// failover is safe for use by many goroutines at once.
type failover struct {
	policy RetryPolicy
	models []*sharedModel
	turns  turnMemory
}

func newFailover(policy RetryPolicy, targets []Target) *failover {
	orElse(&policy.Attempts, 5)
	orElse(&policy.Base, 500*time.Millisecond)
	orElse(&policy.Max, 20*time.Second)
	orElse(&policy.Patience, 2*time.Minute)
	orElse(&policy.Switch, 15*time.Second)
	f := &failover{policy: policy}
	for _, t := range targets {
		if t.Health == nil {
			t.Health = &Health{}
		}
		f.models = append(f.models, &sharedModel{Health: t.Health, target: t})
	}
	return f
}

func (f *failover) Chat(
	ctx context.Context, messages []Message, tools []ToolDefinition, model string, options map[string]any,
) (*LLMResponse, error) {
	return f.ask(ctx, model, options, nil, func(ctx context.Context, p LLMProvider, model string) (*LLMResponse, error) {
		return p.Chat(ctx, messages, tools, model, options)
	})
}

func (f *failover) ChatStream(
	ctx context.Context, messages []Message, tools []ToolDefinition,
	model string, options map[string]any, emit func(StreamEvent),
) (*LLMResponse, error) {
	s := &restarter{emit: emit}
	return f.ask(ctx, model, options, s, func(ctx context.Context, p LLMProvider, model string) (*LLMResponse, error) {
		s.begin()
		resp, err := Stream(ctx, p, messages, tools, model, options, s.pass)
		s.end(err)
		return resp, err
	})
}

// attempt is one request of a provider.
type attempt func(ctx context.Context, p LLMProvider, model string) (*LLMResponse, error)

// ask runs one request. The restarter is nil where the answer comes as a whole.
func (f *failover) ask(
	caller context.Context, model string, options map[string]any, s *restarter, once attempt,
) (*LLMResponse, error) {
	if len(f.models) == 0 {
		return nil, &Error{Kind: KindInvalid, Model: model, Message: "no model is configured"}
	}
	turn, _ := options[OptionTurn].(string)
	r := f.newRequest(model, turn)
	for {
		next := r.next()
		if next == nil {
			return r.conclude(s)
		}
		if resp, err := r.attempt(caller, next, once); resp != nil || err != nil {
			return resp, err
		}
	}
}

// restarter passes events on. When the next attempt begins, it announces that the
// events of the last one are void.
type restarter struct {
	emit   func(StreamEvent)
	dirty  bool
	reason string
}

func (s *restarter) begin() {
	if s.dirty {
		s.pass(Restart{Reason: s.reason})
	}
}

func (s *restarter) pass(e StreamEvent) {
	_, restart := e.(Restart)
	s.dirty = !restart
	s.emit(e)
}

func (s *restarter) end(err error) {
	s.reason = string(KindUnusable)
	if failure, ok := asError(err); ok {
		s.reason = string(failure.Kind)
	}
}
