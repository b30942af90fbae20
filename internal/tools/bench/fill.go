package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
)

const (
	fillMessages = 10
	fillBytes    = 400
	fillBatch    = 500
	// The names of the chats are numbers from here on, which are ids on any platform.
	knownFrom = 1_000_000_000
)

// fill is a process of its own: it makes a store in which many chats have said
// something, as turns that were taken in and committed.
func fill(ctx context.Context, args []string) error {
	if len(args) != 4 {
		return errors.New("fill: four arguments, the folder, the number of chats, their channel and its account")
	}
	chats, err := strconv.Atoi(args[1])
	if err != nil || chats < 1 {
		return fmt.Errorf("fill: %q is no number of chats", args[1])
	}
	e, err := local.Open(ctx, local.Options{Dir: args[0], SnapshotEvery: -1})
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if err := fillInbox(ctx, e, chats, channels.Address{Channel: args[2], Account: args[3]}); err != nil {
			cancel(err)
		}
	}()
	messages := fillHistory()
	var done atomic.Int64
	err = e.Inbox().Run(ctx, func(ctx context.Context, t session.Turn) error {
		err := t.Commit(ctx, session.Commit{Outcome: session.OutcomeAnswered, Messages: messages})
		if err == nil && done.Add(1) == int64(chats) {
			cancel(errFilled)
		}
		return err
	})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errFilled) {
		err = errors.Join(err, cause)
	} else if errors.Is(err, context.Canceled) {
		err = nil
	}
	if err = errors.Join(err, e.Close()); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

// errFilled is the cause that ends a filling that is complete.
var errFilled = errors.New("the store is full enough")

func fillInbox(ctx context.Context, e session.Engine, chats int, a channels.Address) error {
	now := time.Now()
	var batch []session.Item
	for i := range chats {
		a.Chat = strconv.Itoa(knownFrom + i)
		id := "fill/" + strconv.Itoa(i)
		batch = append(batch, session.Item{ID: id, Kind: session.ItemMessage, Address: a, Time: now, Inbound: &channels.Inbound{
			ID: id, Kind: channels.KindMessage, Address: a, Sender: channels.Sender{ID: a.Chat}, Text: "hello", Direct: true, Time: now,
		}})
		if len(batch) < fillBatch && i < chats-1 {
			continue
		}
		if err := e.Inbox().Append(ctx, batch, nil); err != nil {
			return err
		}
		batch = nil
	}
	return nil
}

func fillHistory() []providers.Message {
	text := strings.Repeat("word ", fillBytes/len("word "))
	messages := make([]providers.Message, fillMessages)
	for i := range messages {
		role := providers.RoleUser
		if i%2 == 1 {
			role = providers.RoleAssistant
		}
		messages[i] = providers.Message{Role: role, Content: text}
	}
	return messages
}
