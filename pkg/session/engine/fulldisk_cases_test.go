package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/local"
)

// large is more than the free room within a full disk's file.
func large() string { return strings.Repeat("x", 64<<10) }

// disk is a place that can be full.
type disk struct {
	dir     string
	squeeze func() error // new places cannot be written any more
	free    func() error
}

// store is an engine on a disk that can be full.
type store struct {
	*local.Engine
	disk disk
}

// full takes all room and checks that the engine says so.
func (s store) full(ctx context.Context) error {
	if err := s.disk.squeeze(); err != nil {
		return fmt.Errorf("squeeze: %w", err)
	}
	// The free room within the file is used up by small records.
	var err error
	for i := 0; i < 20_000 && err == nil; i++ {
		err = s.Inbox().Append(ctx, nil, &channels.Cursor{Name: fmt.Sprint(strings.Repeat("cursor", 25), i), To: "1"})
	}
	if !errors.Is(err, session.ErrStore) {
		return fmt.Errorf("the disk is full and a write ended with %w", err)
	}
	st, err := s.Status(ctx)
	if err == nil && st.WriteError == "" {
		err = errors.New("the disk is full and the status does not say so")
	}
	return err
}

// refused runs a write on the full disk, makes room and runs it again.
func (s store) refused(ctx context.Context, write func(context.Context) error) error {
	if err := s.full(ctx); err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := write(soon); !errors.Is(err, session.ErrStore) {
		return fmt.Errorf("on a full disk: %w", err)
	}
	if err := s.disk.free(); err != nil {
		return err
	}
	if err := write(ctx); err != nil {
		return fmt.Errorf("there is room again: %w", err)
	}
	st, err := s.Status(ctx)
	if err == nil && st.WriteError != "" {
		err = fmt.Errorf("there is room again and the status says %q", st.WriteError)
	}
	return err
}

// turn runs h over the next turn; it must commit it.
func (s store) turn(ctx context.Context, h func(context.Context, session.Turn) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := s.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
		err := h(ctx, turn)
		cancel(err)
		return err
	})
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// delivery runs h over the next delivery.
func (s store) delivery(ctx context.Context, h func(context.Context, channels.Delivery) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := s.Outbox().RunOutbox(ctx, "test", "bot", func(ctx context.Context, d channels.Delivery) error {
		err := h(ctx, d)
		cancel(err)
		return err
	})
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// answer is a commit with one entry of history and one message.
func answer(turn session.Turn) session.Commit {
	return session.Commit{
		Outcome:  session.OutcomeAnswered,
		Messages: []providers.Message{{Role: providers.RoleAssistant, Content: large()}},
		Outbox:   []channels.Outbound{{ID: "o", Address: turn.Info().Address, Text: "text"}},
	}
}

// queued answers a turn, so that a message waits.
func (s store) queued(ctx context.Context) error {
	return s.turn(ctx, func(ctx context.Context, turn session.Turn) error { return turn.Commit(ctx, answer(turn)) })
}

// want fails unless no item waits and so many messages are queued and entries are stored.
func (s store) want(ctx context.Context, sending int, entries uint64) error {
	st, err := s.Status(ctx)
	if err != nil {
		return err
	}
	info, err := s.Sessions().Lookup(ctx, message("a", "", "").Address)
	if st.Waiting != 0 || st.Sending != sending || info.Entries != entries {
		return fmt.Errorf("%d wait, %d are queued, %d entries are stored, want 0, %d, %d (%w)",
			st.Waiting, st.Sending, info.Entries, sending, entries, err)
	}
	return err
}

// fullAt is a write that meets a full disk; then checks the state after a crash.
type fullAt struct {
	write func(ctx context.Context, s store) error
	then  func(ctx context.Context, s store) error
}

func fullCases() map[string]fullAt {
	return map[string]fullAt{
		"commit": {
			write: func(ctx context.Context, s store) error {
				return s.turn(ctx, func(ctx context.Context, turn session.Turn) error {
					return s.refused(ctx, func(ctx context.Context) error { return turn.Commit(ctx, answer(turn)) })
				})
			},
			then: func(ctx context.Context, s store) error { return s.want(ctx, 1, 1) },
		},
		"append":  {write: fullAtAppend, then: func(ctx context.Context, s store) error { return s.want(ctx, 3, 0) }},
		"begin":   {write: fullAtBegin, then: func(ctx context.Context, s store) error { return s.want(ctx, 3, 1) }},
		"record":  {write: fullAtRecord, then: func(ctx context.Context, s store) error { return s.want(ctx, 1, 1) }},
		"advance": {write: fullAtAdvance, then: advanced},
		"settle": {
			write: func(ctx context.Context, s store) error {
				if err := s.queued(ctx); err != nil {
					return err
				}
				return s.delivery(ctx, func(ctx context.Context, d channels.Delivery) error {
					return s.refused(ctx, func(ctx context.Context) error {
						return d.Settle(ctx, channels.Outcome{State: channels.Delivered, Receipt: channels.Receipt{MessageID: large()}})
					})
				})
			},
			then: func(ctx context.Context, s store) error { return s.want(ctx, 0, 1) },
		},
	}
}

// fullAtRecord: a step that was refused is not there, and those before it are;
// the turn of the step is spoiled and the next attempt goes on.
func fullAtRecord(ctx context.Context, s store) error {
	step := func(round int) session.Step {
		return session.Step{Kind: session.StepAnswer, Round: round, Answer: &providers.LLMResponse{Content: large()}, Await: true}
	}
	first := s.turn(ctx, func(ctx context.Context, turn session.Turn) error {
		if err := turn.Record(ctx, step(1)); err != nil {
			return err
		}
		if err := s.full(ctx); err != nil {
			return err
		}
		return turn.Record(ctx, step(2))
	})
	if !errors.Is(first, session.ErrStore) {
		return fmt.Errorf("on a full disk: %w", first)
	}
	if err := s.disk.free(); err != nil {
		return err
	}
	return s.turn(ctx, func(ctx context.Context, turn session.Turn) error {
		if steps := turn.Info().Steps; len(steps) != 1 || steps[0].Round != 1 {
			return fmt.Errorf("the next attempt knows the steps %+v", steps)
		}
		return errors.Join(turn.Record(ctx, step(2)), turn.Commit(ctx, answer(turn)))
	})
}

func fullAtAdvance(ctx context.Context, s store) error {
	if err := s.queued(ctx); err != nil {
		return err
	}
	return s.delivery(ctx, func(ctx context.Context, d channels.Delivery) error {
		if err := d.Plan(ctx, []string{"te", "xt"}); err != nil {
			return err
		}
		err := s.refused(ctx, func(ctx context.Context) error { return d.Advance(ctx, 0, channels.Receipt{MessageID: large()}) })
		if err != nil {
			return err
		}
		return errHandlerEnds
	})
}

// errHandlerEnds is how a handler ends without having settled.
var errHandlerEnds = errors.New("not settled")

// advanced: the part that was accepted is known.
func advanced(ctx context.Context, s store) error {
	return s.delivery(ctx, func(ctx context.Context, d channels.Delivery) error {
		info := d.Info()
		if len(info.Receipts) != 1 || info.Receipts[0].MessageID != large() || len(info.Parts) != 2 {
			return fmt.Errorf("after a crash there are %d receipts and %d parts", len(info.Receipts), len(info.Parts))
		}
		return d.Settle(ctx, channels.Outcome{State: channels.Delivered})
	})
}

// meetFull runs one case on a disk.
func meetFull(ctx context.Context, d disk, c fullAt) error {
	o := local.Options{Dir: filepath.Join(d.dir, "state"), SnapshotEvery: -1}
	e, err := local.Open(ctx, o)
	if err != nil {
		return err
	}
	if err := e.Inbox().Append(ctx, []session.Item{message("a", "1", "hello")}, nil); err != nil {
		return errors.Join(err, e.Close())
	}
	err = c.write(ctx, store{Engine: e, disk: d})
	e.Crash() // acknowledged items are on the disk without an orderly end
	if err != nil && !errors.Is(err, errHandlerEnds) {
		return err
	}
	if e, err = local.Open(ctx, o); err != nil {
		return err
	}
	if err := errors.Join(c.then(ctx, store{Engine: e, disk: d}), e.Close()); err != nil {
		return err
	}
	r, err := bolt.Check(ctx, o.Dir)
	return errors.Join(err, r.Err())
}
