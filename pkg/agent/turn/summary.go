package turn

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/pkg/agent/prompt"
	"parley/pkg/panics"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// summaryGrace is how long a turn that has its answer still waits for the summary.
const summaryGrace = 5 * time.Second

// summary is a request for a summary beside the turn's own.
type summary struct {
	cancel context.CancelFunc
	done   chan struct{}
	text   string
	err    error
	// tainted says that content from outside has a part in it, dropped that the turn has no
	// use for it.
	tainted, dropped bool
}

// summarise asks for a summary of the messages that fall out of the history, beside the
// answer of the turn, as long as loop lasts; an earlier attempt may have it already. It is
// nil where no message falls out. The caller calls wait once.
func summarise(ctx, loop context.Context, t *Turn, h *prompt.Window) *summary {
	if len(h.Out) == 0 || isFree(t) {
		return nil
	}
	loop, cancel := context.WithCancel(loop)
	s := &summary{cancel: cancel, done: make(chan struct{}), tainted: h.OutTainted}
	if s.text = summarised(t, h.From); s.text != "" {
		close(s.done)
		return s
	}
	t.Usage.Open()                           // before both requests: the account is opened once
	from, out := h.From, slices.Clone(h.Out) // the turn goes on with the window
	go func() {
		defer close(s.done)
		if p := panics.Catch(func() { s.err = s.ask(ctx, loop, t, from, out) }); p != nil {
			t.Log().Error().Bytes("stack", p.Stack).Msg("the request for a summary panicked")
			s.err = p
		}
	}()
	return s
}

// summarised is the summary of the entries before a place that an earlier attempt paid
// for, or "".
func summarised(t *Turn, cutTo uint64) string {
	for i := range t.Info.Steps {
		if s := &t.Info.Steps[i]; s.Kind == session.StepSummary && s.CutTo == cutTo && s.Answer != nil {
			return strings.TrimSpace(s.Answer.Content)
		}
	}
	return ""
}

// ask asks for the summary, and records it: another attempt at the turn does not pay for
// it again.
func (s *summary) ask(ctx, loop context.Context, t *Turn, from uint64, out []providers.Message) error {
	model := ModelOf(t, RoleSummary)
	resp, err := Summarise(loop, t, &model, prompt.OldestPart(out))
	if err != nil {
		return err
	}
	text := strings.TrimSpace(resp.Content)
	if text == "" {
		return errNoSummary
	}
	err = t.Record(ctx, session.Step{Kind: session.StepSummary, CutTo: from, Answer: resp})
	if err == nil {
		s.text = text
	}
	return err
}

// errNoSummary is the error of an answer without words.
var errNoSummary = errors.New("the summary is empty")

// Summarise asks a model for a summary.
func Summarise(ctx context.Context, t *Turn, model *Model, of prompt.Summary) (*providers.LLMResponse, error) {
	provider := t.Usage.Provider(model.Provider)
	of.Room = model.HistoryTokens(prompt.Reach(t.Deps.Limits.ContextTokens))
	return of.Ask(ctx, func(messages []providers.Message) (*providers.LLMResponse, error) {
		return provider.Chat(ctx, messages, nil, model.Name, model.Options)
	})
}

// wait gives the summary, or nil: the turn has its answer, and waits a moment at most. A
// turn that failed needs none. The session of a turn without the summary that it wanted rests.
func (s *summary) wait(t *Turn, failed error) *session.Summary {
	if s == nil {
		return nil
	}
	defer s.cancel()
	if s.dropped = failed != nil; s.dropped {
		s.cancel()
	}
	over := time.AfterFunc(summaryGrace, s.cancel)
	defer over.Stop()
	<-s.done
	if s.err != nil && !s.dropped {
		t.Log().Warn().Err(s.err).Msg("the oldest part of the conversation could not be summarised; the gateway tries again in a minute")
		t.Deps.Prompts.Rest(t.Info.Session)
	}
	if s.text == "" {
		return nil
	}
	return &session.Summary{Message: prompt.SummaryMessage(s.text), Outside: s.tainted}
}
