package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

// TestTurnOfANewChatBeginsWhileItsMessageIsSynced: a message that begins a chat is handed out
// before it is durable, and its turn finds the chat, without a history.
func TestTurnOfANewChatBeginsWhileItsMessageIsSynced(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	handed, commit, ran := make(chan session.TurnInfo, 4), make(chan struct{}), make(chan error, 1)
	go func() {
		ran <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			handed <- turn.Info()
			<-commit
			return turn.Commit(ctx, said(turn, "text of "+turn.Info().Address.Chat))
		})
	}()
	put(t, e, message("a", "1", "hello"))
	first := <-handed
	commit <- struct{}{}
	waitIdle(e)

	stored, release := shared(t, e, message("b", "2", "hello"))
	second := <-handed // the transaction of the message has not been committed
	if got, err := history(ctx, e, second.Session); err != nil || len(got) > 0 {
		t.Errorf("the history of a chat that begins: %q, %v", got, err)
	}
	if info, err := e.Sessions().Get(ctx, second.Session); err != nil || info.Chat != second.Chat || info.Address != second.Address {
		t.Errorf("the chat that begins: %+v, %v", info, err)
	}
	if _, err := e.Sessions().Lookup(ctx, second.Address); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("others find a chat that is not stored: %v", err)
	}
	commit <- struct{}{}
	select {
	case err := <-stored:
		t.Errorf("the append ended before its transaction: %v", err)
	default:
	}
	release()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	waitIdle(e)
	if second.Chat == first.Chat || second.Session == first.Session {
		t.Errorf("two chats are one: %+v, %+v", first, second)
	}
	if got, err := history(ctx, e, second.Session); err != nil || len(got) != 1 || got[0] != "text of b" {
		t.Errorf("the history of the chat: %q, %v", got, err)
	}
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// said is a commit with one entry of history.
func said(turn session.Turn, text string) session.Commit {
	return session.Commit{
		Outcome:  session.OutcomeAnswered,
		Messages: []providers.Message{{Role: providers.RoleAssistant, Content: text}},
		Outbox:   []channels.Outbound{{ID: "answer to " + turn.Info().Items[0].ID, Address: turn.Info().Address, Text: text}},
	}
}

// history are the texts of a session.
func history(ctx context.Context, e *local.Engine, id string) (all []string, err error) {
	err = e.Sessions().Tail(ctx, id, 0, func(entry session.Entry) bool {
		all = append(all, entry.Message.Content)
		return true
	})
	return all, err
}

// TestChatOfOneRequestThatBeginsIsBilledToItsPerson: the use of a chat that is not stored yet
// is that of the person who pays for it.
func TestChatOfOneRequestThatBeginsIsBilledToItsPerson(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	handed, commit, ran := make(chan session.TurnInfo, 4), make(chan struct{}), make(chan error, 1)
	day := "2026-01-01"
	go func() {
		ran <- e.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			handed <- turn.Info()
			<-commit
			c := said(turn, "text")
			c.Spent = &session.Spent{Day: day, Purpose: session.ForPeople, Usage: session.Usage{Turns: 1}}
			return turn.Commit(ctx, c)
		})
	}()
	one := func(id string) session.Item {
		item := message("x", id, "hello")
		item.Address.Chat = "web:me." + channels.PassingID + id
		return item
	}
	put(t, e, one("1"))
	<-handed
	commit <- struct{}{}
	waitIdle(e)
	stored, release := shared(t, e, one("2"))
	info := <-handed
	spent, err := e.Chats().Spending(ctx, info.Chat, day)
	if err != nil || spent[session.ForPeople].Turns != 1 {
		t.Errorf("the person has used %+v, %v", spent, err)
	}
	commit <- struct{}{}
	release()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	waitIdle(e)
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// fullAtBegin: the turn of a chat that could not be stored ends, reads nothing of the chat
// that is stored next, and leaves nothing behind. The message is answered when it comes again.
func fullAtBegin(ctx context.Context, s store) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began, proceed, ran := make(chan session.TurnInfo, 8), make(chan struct{}), make(chan error, 1)
	lost := make(chan error, 1)
	go func() {
		ran <- s.Inbox().Run(ctx, func(ctx context.Context, turn session.Turn) error {
			info := turn.Info()
			began <- info
			select {
			case <-proceed:
			case <-ctx.Done():
				_, unread := history(context.WithoutCancel(ctx), s.Engine, info.Session)
				err := turn.Commit(context.WithoutCancel(ctx), said(turn, "lost"))
				if !errors.Is(err, session.ErrFenced) || !errors.Is(unread, session.ErrNotFound) {
					lost <- fmt.Errorf("it is committed (%w), and reads (%w)", err, unread)
				} else {
					lost <- nil
				}
				return err
			}
			return turn.Commit(ctx, said(turn, info.Address.Chat))
		})
	}()
	answered := func(id string) (info session.TurnInfo, err error) {
		info = <-began
		if got := info.Items[0].ID; got != id {
			return info, fmt.Errorf("the turn of %s began, want %s", got, id)
		}
		proceed <- struct{}{}
		waitIdle(s.Engine)
		return info, nil
	}
	if _, err := answered("1"); err != nil {
		return err
	}
	if err := s.disk.squeeze(); err != nil {
		return fmt.Errorf("squeeze: %w", err)
	}
	second := message("b", "2", strings.Repeat(large(), 40))
	if err := s.Inbox().Append(ctx, []session.Item{second}, nil); !errors.Is(err, session.ErrStore) {
		return fmt.Errorf("an append to a full disk: %w", err)
	}
	none := <-began
	if none.Address != second.Address {
		return fmt.Errorf("the turn of %+v began early", none.Address)
	}
	if err := s.disk.free(); err != nil {
		return err
	}
	// Another chat takes the place that the second one would have had.
	if err := s.Inbox().Append(ctx, []session.Item{message("c", "3", "hello")}, nil); err != nil {
		return fmt.Errorf("there is room again: %w", err)
	}
	if err := <-lost; err != nil {
		return fmt.Errorf("a turn of a chat that was not stored: %w", err)
	}
	third, err := answered("3")
	if err != nil {
		return err
	}
	if third.Chat == none.Chat || third.Session == none.Session {
		return fmt.Errorf("%s and %s are those of a chat that was not stored", third.Chat, third.Session)
	}
	if err := s.Inbox().Append(ctx, []session.Item{second}, nil); err != nil {
		return fmt.Errorf("the message comes again: %w", err)
	}
	if _, err := answered("2"); err != nil {
		return err
	}
	cancel(nil)
	return <-ran
}
