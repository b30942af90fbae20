package errand

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"

	"parley/pkg/agent/budget"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// Errand is one question to a model for a single purpose.
type Errand struct {
	Role turn.Role
	// Key names it within its turn: after a crash the same question has the same key.
	Key      string
	Messages []providers.Message
	Options  map[string]any
	// Explain puts a failure into a sentence that the chat is told, once. Nil: it is not told,
	// and a failure is not recorded.
	Explain func(error) string
}

// ErrNoModel says that there is no model for a purpose.
var ErrNoModel = errors.New("there is no model for this")

// FailedError is a failure in the turn's ledger, as a sentence. Told says that it was sent to the chat; a
// chat of one request is sent none.
type FailedError struct {
	Sentence string
	Told     bool
}

// Error implements error.
func (e *FailedError) Error() string { return e.Sentence }

// Run asks the model of an errand, or gives the answer of an earlier attempt at the turn. The error
// is a [FailedError] where the errand explains it.
func Run(ctx context.Context, t *turn.Turn, e *Errand) (*providers.LLMResponse, error) {
	if s := recorded(t, e.Key); s != nil {
		if s.Answer == nil {
			return nil, &FailedError{s.Failure, len(s.Outbox) > 0}
		}
		return s.Answer, nil
	}
	m := turn.ModelOf(t, e.Role)
	if m.Provider == nil {
		return nil, failed(ctx, t, e, ErrNoModel)
	}
	options := maps.Clone(m.Options)
	if options == nil {
		options = map[string]any{}
	}
	maps.Copy(options, e.Options)
	resp, err := t.Usage.Provider(m.Provider).Chat(ctx, e.Messages, nil, m.Name, options)
	if err != nil {
		return nil, failed(ctx, t, e, err)
	}
	err = t.Record(context.WithoutCancel(ctx), session.Step{Kind: session.StepSensed, Key: e.Key, Answer: resp, Await: true})
	return resp, err
}

// Recorded says whether the turn has the answer, or the failure, of an errand from an earlier
// attempt: what it asked about is not needed any more.
func Recorded(t *turn.Turn, key string) bool { return recorded(t, key) != nil }

// recorded is the step of an errand in the turn's ledger, or nil.
func recorded(t *turn.Turn, key string) *session.Step {
	for i := range t.Info.Steps {
		if s := &t.Info.Steps[i]; s.Kind == session.StepSensed && s.Key == key {
			return s
		}
	}
	return nil
}

// failed tells the chat of a failure.
func failed(ctx context.Context, t *turn.Turn, e *Errand, err error) error {
	_, limit := errors.AsType[*budget.LimitError](err)
	if limit || e.Explain == nil || ctx.Err() != nil {
		return err
	}
	t.Log().Warn().Err(err).Str("for", string(e.Role)).Msg("a model for a single purpose has not answered")
	return Refuse(ctx, t, e.Key, e.Explain(err))
}

// Refuse tells the chat in a sentence that something in its message cannot be used; once for a key.
// It returns a [FailedError], or the error of the record.
func Refuse(ctx context.Context, t *turn.Turn, key, sentence string) error {
	if s := recorded(t, key); s != nil {
		return &FailedError{s.Failure, len(s.Outbox) > 0}
	}
	step := session.Step{Kind: session.StepSensed, Key: key, Failure: sentence, Await: true}
	if t.Input.Mute == nil && !t.Origin.Address.Passing() {
		sum := sha256.Sum256([]byte(key))
		step.Outbox = []channels.Outbound{turn.Says(t, t.Info.ID+"/sensed/"+hex.EncodeToString(sum[:8]), sentence)}
	}
	if err := t.Record(context.WithoutCancel(ctx), step); err != nil {
		return err
	}
	return &FailedError{sentence, len(step.Outbox) > 0}
}
