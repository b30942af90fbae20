package turn

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/pkg/panics"
	"parley/pkg/providers"
)

// summaryPrompt asks for the summary of the messages that fall out of the history.
const summaryPrompt = "Summarise this oldest part of our conversation in at most 300 words: what was wanted, what was found or decided, " +
	"names, numbers and files that matter, and what is still open. It is the only part that you will not see again."

// summaryHead tells the model the origin of a summary in its history.
const summaryHead = "[a summary of the oldest part of this conversation; it may quote others]\n"

// summaryGrace is how long a turn that has its answer still waits for the summary.
const summaryGrace = 5 * time.Second

// summary is a request for a summary beside the turn's own.
type summary struct {
	cancel context.CancelFunc
	done   chan struct{}
	text   string
	err    error
}

// summarise asks for a summary of the messages that fall out of the history, beside the
// answer of the turn. The caller calls wait once.
func summarise(ctx context.Context, t *Turn, out []providers.Message) *summary {
	ctx, cancel := context.WithCancel(ctx)
	s := &summary{cancel: cancel, done: make(chan struct{})}
	if len(out) == 0 || isFree(t) {
		close(s.done)
		return s
	}
	model := ModelOf(t, RoleSummary)
	provider := t.Usage.Provider(model.Provider)
	t.Usage.Open() // before both requests: the account is opened once
	ask := slices.Concat(out, []providers.Message{{Role: providers.RoleUser, Content: summaryPrompt}})
	go func() {
		defer close(s.done)
		if p := panics.Catch(func() {
			resp, err := provider.Chat(ctx, providers.Repair(ask), nil, model.Name, model.Options)
			if s.err = err; err == nil {
				s.text = strings.TrimSpace(resp.Content)
			}
		}); p != nil {
			t.Log().Error().Bytes("stack", p.Stack).Msg("the request for a summary panicked")
			s.err = p
		}
	}()
	return s
}

// wait gives the summary as a message for the history, or none: the turn has its answer,
// and waits a moment at most.
func (s *summary) wait(t *Turn) []providers.Message {
	defer s.cancel()
	over := time.AfterFunc(summaryGrace, s.cancel)
	defer over.Stop()
	<-s.done
	if s.err != nil {
		t.Log().Warn().Err(s.err).Msg("the oldest part of the conversation is left out without a summary")
	}
	if s.text == "" {
		return nil
	}
	return []providers.Message{{Role: providers.RoleUser, Content: summaryHead + s.text}}
}
