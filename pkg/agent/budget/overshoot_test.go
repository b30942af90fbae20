package budget_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/budget"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// lockstep answers a request when as many were made as turns are at work.
type lockstep struct{ round chan chan struct{} }

func (l lockstep) Chat(
	context.Context, []providers.Message, []providers.ToolDefinition, string, map[string]any,
) (*providers.LLMResponse, error) {
	answer := make(chan struct{})
	l.round <- answer
	<-answer
	return &providers.LLMResponse{Content: "x", Usage: providers.Usage{PromptTokens: 90, CompletionTokens: 10}}, nil
}

// TestTurnsAtOnceOvershootByOneAnswerEach: background agents of one chat, which all ask at
// the same moment, are held together against its limit.
func TestTurnsAtOnceOvershootByOneAnswerEach(t *testing.T) {
	t.Parallel()
	eng, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = eng.Close() })
	const agents, answers, cost = 20, 45, 100
	model := lockstep{round: make(chan chan struct{})}
	home := channels.Address{Channel: "test", Chat: "home"}
	m := budget.New(budget.Options{Store: eng.Chats(), Budget: func(channels.Address) budget.Budget {
		return budget.Budget{For: map[session.Purpose]budget.Limits{session.ForBackground: {Tokens: answers * cost, Turns: agents}}}
	}})
	start := func(n int) *budget.TurnUsage {
		return m.Turn(budget.Turn{
			Chat: fmt.Sprint("agent ", n), Payer: home, Purpose: session.ForBackground, Began: time.Now(),
			Zone: func() *time.Location { return time.UTC },
		})
	}
	request := func(u *budget.TurnUsage) error {
		_, err := u.Provider(model).Chat(t.Context(), nil, nil, "", nil)
		return err
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	total, working := 0, agents
	turns := make([]*budget.TurnUsage, agents)
	ended := make(chan struct{})
	for n := range agents {
		wg.Go(func() {
			u := start(n)
			turns[n] = u
			for {
				if l, ok := errors.AsType[*budget.LimitError](request(u)); ok {
					if !strings.HasSuffix(l.Error(), " tokens for background") {
						t.Errorf("stopped by %v", l)
					}
					break
				}
				mu.Lock()
				total++
				mu.Unlock()
			}
			ended <- struct{}{}
		})
	}
	var waiting []chan struct{}
	for working > 0 {
		select {
		case w := <-model.round:
			waiting = append(waiting, w)
		case <-ended:
			working--
		}
		if len(waiting) == working {
			for _, w := range waiting {
				close(w)
			}
			waiting = nil
		}
	}
	wg.Wait()
	if total < answers || total >= answers+agents {
		t.Errorf("%d answers, want %d and less than one more for each of %d agents", total, answers, agents)
	}
	// All of them are still at work: the number of turns is exact.
	late := start(agents)
	if err := request(late); err == nil || err.Error() != "budget: 20 of 20 turns for background" {
		t.Errorf("one turn more: %v", err)
	}
	// The use of a turn counts against the chat that it works for.
	if s := late.Spent(); s != nil {
		t.Errorf("a turn that was refused spent %+v", s)
	}
	if n := m.Running(home); n != agents {
		t.Errorf("%d turns are counted, want %d", n, agents)
	}
	for _, u := range turns {
		u.Close()
	}
	if n := m.Running(home); n != 0 {
		t.Errorf("%d turns are counted after their end", n)
	}
}
