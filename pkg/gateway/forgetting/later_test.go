package forgetting_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"parley/pkg/gateway/forgetting"
	"parley/pkg/session"
)

// patience bounds the wait for a turn that begins at once.
const patience = 20 * time.Second

// TestAMessageAfterTheAnswer: the chat gets a message while its forget is under way, behind the answer to the
// question. The chat that begins anew answers it, also where the process dies before the records are gone; no
// word of the old chat comes along.
func TestAMessageAfterTheAnswer(t *testing.T) {
	t.Parallel()
	for name, dies := range map[string]bool{"": false, "the process dies": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			g := open(t, dir)
			defer func() { g.close() }()
			g.talk(1)
			before := g.info(1)
			g.says(1, "yes", "yes")
			died := errors.New("killed")
			g.endWork = func() error {
				g.says(1, "later", "fresh")
				if dies {
					return died
				}
				return nil
			}
			var mu sync.Mutex
			var read []session.TurnInfo
			run := func(answer func(ctx context.Context, turn session.Turn) error) {
				t.Helper()
				ctx, stop := context.WithTimeout(t.Context(), patience)
				defer stop()
				err := g.store.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
					info := turn.Info()
					mu.Lock()
					read = append(read, info)
					mu.Unlock()
					if info.Items[0].ID == "later" {
						defer stop()
						return turn.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered})
					}
					return answer(ctx, turn)
				})
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
			if !dies {
				run(func(ctx context.Context, turn session.Turn) error {
					_, err := g.Forget(ctx, forgetting.Ask{Of: before, Question: "q", Turn: turn.Info().ID})
					return errors.Join(err, session.ErrForgotten)
				})
			} else {
				ctx, stop := context.WithCancel(t.Context())
				_ = g.store.Inbox().Run(ctx, func(_ context.Context, turn session.Turn) error { // it ends with its context
					defer stop()
					_, err := g.Forget(ctx, forgetting.Ask{Of: before, Question: "q", Turn: turn.Info().ID})
					if !errors.Is(err, died) {
						t.Errorf("Forget: %v", err)
					}
					return err
				})
				g.close()
				g = open(t, dir)
				g.Resume(t.Context())
				_, err := g.store.Inbox().Waits(t.Context(), "later")
				g.must(err)
				run(func(context.Context, session.Turn) error {
					t.Error("another message is read")
					return nil
				})
			}
			if len(read) == 0 {
				t.Fatal("no turn begins")
			}
			mu.Lock()
			last := read[len(read)-1]
			mu.Unlock()
			if len(last.Items) != 1 || last.Chat == before.Chat || last.Items[0].Inbound.Text != "fresh" {
				t.Errorf("the turn of the later message: %+v", last)
			}
			_, err := g.Finish(t.Context())
			g.must(err)
			if names := g.has(canary(1)); len(names) > 0 || len(g.UnderWay()) > 0 {
				t.Errorf("the word is in %v; under way are %v", names, g.UnderWay())
			}
		})
	}
}
