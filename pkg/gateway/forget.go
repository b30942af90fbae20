package gateway

import (
	"context"
	"errors"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/channels/console"
	"parley/pkg/channels/web"
	"parley/pkg/events"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/files"
	"parley/pkg/gateway/forgetting"
	"parley/pkg/gateway/linking"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/shelf"
)

// receiptWithin is how long a forget waits for the receipt of its question.
const receiptWithin = 30 * time.Second

// newForgetting forgets chats with all of their files. A part of the gateway with files of chats adds a
// cleaner here.
func newForgetting(a *App) *forgetting.Forgetting {
	return forgetting.New(forgetting.Options{
		Engine: a.store, Store: local.ForgetterOf(a.store), Now: time.Now, Log: a.o.Log,
		EndWork: func(ctx context.Context, chat, conversation string) (func(bool), error) {
			return a.agent.EndWork(ctx, chat, conversation)
		},
		Indexes: []forgetting.Cleaner{
			func(ctx context.Context, c forgetting.Chat) error { return a.kept.past.Forget(ctx, c.ID) },
		},
		Files: []forgetting.Cleaner{
			func(ctx context.Context, c forgetting.Chat) error { return a.kept.spaces.Forget(ctx, c.At) },
			func(_ context.Context, c forgetting.Chat) error { return forgetShown(a, c) },
		},
		Rest: []forgetting.Cleaner{
			func(ctx context.Context, c forgetting.Chat) error {
				return a.kept.uploads.Forget(ctx, a.store.Outbox(), c.ID)
			},
			a.forgetScreens, a.forgetLetters,
		},
	})
}

// forgetShown removes the files of a chat that screens show.
func forgetShown(a *App, c forgetting.Chat) error {
	var errs []error
	for _, at := range c.At {
		if at.Channel == web.Name || at.Channel == console.Name {
			errs = append(errs, shelf.Forget(a.kept.shelf, at.Chat))
		}
	}
	return errors.Join(errs...)
}

// forgetScreens lets the screens that show a chat read it anew, and removes the lines of consoles.
func (a *App) forgetScreens(_ context.Context, c forgetting.Chat) error {
	var errs []error
	for _, at := range c.At {
		events.Forget(a.screens.Hub(), at)
		if at.Channel == console.Name {
			errs = append(errs, files.ForgetLines(a.cfg.StateDir))
		}
	}
	return errors.Join(errs...)
}

// forgetLetters removes the updates of no use of the account of a chat.
func (a *App) forgetLetters(_ context.Context, c forgetting.Chat) error {
	return a.kept.deadLetters.Forget(c.At[0].Channel, c.At[0].Account)
}

// forget forgets the chat of a turn, as its person has confirmed.
func (a *App) forget(ctx context.Context, f approval.Forget) error {
	info, err := a.store.Sessions().Get(ctx, f.Session)
	if err != nil {
		return err
	}
	if err := awaitReceipt(ctx, a.store.Outbox(), f.Question); err != nil {
		return err
	}
	link, _, linked := a.store.Tokens().LinkAt(info.Address)
	_, err = a.forgetting.Forget(ctx, forgetting.Ask{Of: info, Question: f.Question, Turn: f.Turn, Shared: f.Shared})
	if err == nil && linked {
		a.audit.note(admin.LinkRow(&link, linking.Ended, "/forget"))
	}
	return err
}

// awaitReceipt waits until the receipt of a question is stored: a person may answer before the platform has
// answered the gateway, and a question without receipt could not be finished once its chat is forgotten.
// One that the platform does not confirm in time stays as it is.
func awaitReceipt(ctx context.Context, of session.Receipts, question string) error {
	soon, stop := context.WithTimeout(ctx, receiptWithin)
	defer stop()
	if _, err := of.Receipt(soon, question); err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
