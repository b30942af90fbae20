package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"parley/internal/test/rig"
)

// warm is how many asks come before those that count.
const warm = 5

// loadTime bounds one load, quiet or not.
const loadTime = time.Minute

func chatName(i int) string { return "chat" + strconv.Itoa(i) }

func toolText() string {
	return rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: "list_dir", Args: map[string]any{"path": "."}}}}}.Text()
}

// with runs f on a stage that has been started, and checks its ledger afterwards.
func (p place) with(ctx context.Context, modelDelay time.Duration, f func(ctx context.Context, s *stage) error) error {
	s, err := p.open(ctx, modelDelay)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.start(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	if programs, ok := s.platform.(*onWeb); ok {
		if err := programs.people(ctx, p.people); err != nil {
			return err
		}
	}
	if err := s.profileDuring(ctx, func() error { return f(ctx, s) }); err != nil {
		return fmt.Errorf("%w; log: %s", err, s.logTail())
	}
	if _, err := s.model.stats(ctx); err != nil {
		return err
	}
	return s.platform.settled()
}

// errLedger says that speed was bought with lost or doubled messages.
var errLedger = errors.New("the ledger is not clean")

// answered waits until every one of asks has an answer.
func answered(ctx context.Context, asks ...*ask) error {
	for i, a := range asks {
		select {
		case <-a.done:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d questions have no answer, the first is %s: %w", len(asks)-i, len(asks), a.nonce, context.Cause(ctx))
		}
	}
	return nil
}

// paced asks n times in one chat, each when the last is answered and not before
// gap has passed since. The first few only warm up.
func (s *stage) paced(ctx context.Context, chat int, text string, n int, gap time.Duration) ([]*ask, error) {
	pace := time.NewTicker(gap)
	defer pace.Stop()
	var asks []*ask
	for range warm + n {
		asks = append(asks, s.platform.ask(text, chat)...)
		if err := answered(ctx, asks[len(asks)-1]); err != nil {
			return nil, err
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return asks[warm:], nil
}

// overheads are the times from handed over to answered, less the model's, in milliseconds.
func (s *stage) overheads(ctx context.Context, asks []*ask) ([]float64, error) {
	st, err := s.model.stats(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(asks))
	for i, a := range asks {
		out[i] = ms(a.answered.Sub(*a.handed) - time.Duration(st.Spent[a.nonce]))
	}
	return out, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// flood puts chats × each questions in line at once and waits for all answers.
func (s *stage) flood(ctx context.Context, chats, each int) (time.Duration, error) {
	var in []int
	for range each { // in turns, as people write
		for c := range chats {
			in = append(in, c)
		}
	}
	started := time.Now()
	asks := s.platform.ask("hello", in...)
	if err := answered(ctx, asks...); err != nil {
		return 0, err
	}
	var took time.Duration
	for _, a := range asks {
		took = max(took, a.answered.Sub(started))
	}
	return took, nil
}

// converse lets each chat ask its next question when the last is answered.
func (s *stage) converse(ctx context.Context, chats, each int) (time.Duration, error) {
	var wg sync.WaitGroup
	errs := make([]error, chats)
	started := time.Now()
	for c := range chats {
		wg.Go(func() {
			for range each {
				if errs[c] = answered(ctx, s.platform.ask("hello", c)...); errs[c] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(started), errors.Join(errs...)
}
