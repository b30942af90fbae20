package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/tools"
)

// lockstep answers a request when as many were made as turns are at work.
type lockstep struct{ round chan chan struct{} }

func (l lockstep) Chat(context.Context, []providers.Message, []providers.ToolDefinition, string, map[string]any) (*providers.LLMResponse, error) {
	answer := make(chan struct{})
	l.round <- answer
	<-answer
	return &providers.LLMResponse{Content: "x", Usage: providers.Usage{PromptTokens: 90, CompletionTokens: 10}}, nil
}

// TestTurnsAtOnceOvershootByOneAnswerEach: background agents of one chat, which all ask at
// the same moment, are held together against its limit.
func TestTurnsAtOnceOvershootByOneAnswerEach(t *testing.T) {
	t.Parallel()
	eng, err := bolt.Open(t.Context(), bolt.Options{Dir: t.TempDir(), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = eng.Close() })
	const agents, answers, cost = 20, 45, 100
	model := lockstep{round: make(chan chan struct{})}
	a, err := New(Options{
		Engine: eng, Provider: model, Tools: tools.NewToolRegistry(), Log: zerolog.Nop(),
		Authorize: func(context.Context, policy.Event) policy.Verdict { return policy.Verdict{} },
		Space:     func(channels.Address, bool) string { return "" },
		Budget: func(channels.Address) Budget {
			return Budget{For: map[session.Purpose]Limits{session.ForBackground: {Tokens: answers * cost, Turns: agents}}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	home := channels.Address{Channel: "test", Chat: "home"}
	start := func(n int) *run {
		return &run{
			a: a, began: time.Now(), wall: time.Now(), home: home, agentRun: agentRun{task: &session.Task{ID: fmt.Sprint(n)}},
			info: session.TurnInfo{ID: fmt.Sprint(n), Chat: fmt.Sprint("agent ", n), Items: []session.Item{{Kind: session.ItemSpawn}}},
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	total, working := 0, agents
	ended := make(chan struct{})
	for n := range agents {
		wg.Go(func() {
			r := start(n)
			for {
				_, err := purse{r}.Chat(t.Context(), nil, nil, "", nil)
				if l, ok := errors.AsType[*limitError](err); ok {
					if l.what != "tokens" {
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
	if _, err := (purse{late}).Chat(t.Context(), nil, nil, "", nil); err == nil || err.Error() != "budget: 20 of 20 turns for background" {
		t.Errorf("one turn more: %v", err)
	}
	// What a turn used counts against the chat that it works for.
	if s := late.spent(); s != nil {
		t.Errorf("a turn that was refused spent %+v", s)
	}
	late.closeBill()
	if n := len(a.till.open[home]); n != agents {
		t.Errorf("%d turns in the till, want %d", n, agents)
	}
}
