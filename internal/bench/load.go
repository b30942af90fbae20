package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"parley/internal/loopchat/server"
	"parley/internal/rig"
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
func (b *bench) with(ctx context.Context, modelDelay time.Duration, f func(ctx context.Context, s *stage) error) error {
	s, err := b.open(ctx, modelDelay)
	if err != nil {
		return err
	}
	defer s.close()
	return s.under(ctx, func(ctx context.Context) error { return f(ctx, s) }, s.settled)
}

// under starts the gateway and runs f within loadTime; settled says afterwards
// what is wrong with the platform's ledger.
func (s *stage) under(ctx context.Context, f func(ctx context.Context) error, settled func() error) error {
	if _, err := s.start(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	if err := s.profileDuring(ctx, func() error { return f(ctx) }); err != nil {
		return fmt.Errorf("%w; log: %s", err, s.logTail())
	}
	if _, err := s.model.stats(ctx); err != nil {
		return err
	}
	return settled()
}

// errLedger says that speed was bought with lost or doubled messages.
var errLedger = errors.New("the ledger is not clean")

func (s *stage) settled() error {
	r := s.chat.Report()
	if r.Asked != r.Answered || r.Duplicates+r.Inversions+r.Misrouted+r.Phantoms > 0 {
		return fmt.Errorf("%w: %+v", errLedger, r)
	}
	return nil
}

// paced asks n times in one chat, each when the last is answered and not before
// gap has passed since. The first few only warm up.
func (s *stage) paced(ctx context.Context, chat, text string, n int, gap time.Duration) ([]server.Ask, error) {
	pace := time.NewTicker(gap)
	defer pace.Stop()
	var asks []*server.Ask
	for range warm + n {
		a := s.chat.Ask(chat, text)
		if err := server.WaitAnswered(ctx, a); err != nil {
			return nil, err
		}
		asks = append(asks, a)
		select {
		case <-pace.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return copies(asks[warm:]), nil
}

// copies of asks that are answered; nothing changes them any more.
func copies(asks []*server.Ask) []server.Ask {
	all := make([]server.Ask, len(asks))
	for i, a := range asks {
		all[i] = *a
	}
	return all
}

// overheads are the times from handed over to answered, less the model's, in milliseconds.
func (s *stage) overheads(ctx context.Context, asks []server.Ask) ([]float64, error) {
	st, err := s.model.stats(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(asks))
	for i := range asks {
		a := &asks[i]
		out[i] = ms(a.Answered.Sub(a.Handed) - time.Duration(st.Spent[a.Nonce]))
	}
	return out, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// flood puts chats × each questions in line at once and waits for all answers.
func (s *stage) flood(ctx context.Context, chats, each int) (time.Duration, error) {
	questions := make([]server.Question, 0, chats*each)
	for range each {
		for c := range chats {
			questions = append(questions, server.Question{Chat: chatName(c), Text: "hello"})
		}
	}
	started := time.Now()
	asks := s.chat.AskAll(questions)
	if err := server.WaitAnswered(ctx, asks...); err != nil {
		return 0, err
	}
	return lastAnswer(asks).Sub(started), nil
}

func lastAnswer(asks []*server.Ask) time.Time {
	var last time.Time
	for _, a := range asks {
		if a.Answered.After(last) {
			last = a.Answered
		}
	}
	return last
}

// converse lets each chat ask its next question when the last is answered.
func (s *stage) converse(ctx context.Context, chats, each int) (time.Duration, error) {
	var wg sync.WaitGroup
	errs := make([]error, chats)
	started := time.Now()
	for c := range chats {
		wg.Go(func() {
			for range each {
				if errs[c] = server.WaitAnswered(ctx, s.chat.Ask(chatName(c), "hello")); errs[c] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(started), errors.Join(errs...)
}
