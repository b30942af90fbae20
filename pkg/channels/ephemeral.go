package channels

import (
	"context"
	"errors"
	"fmt"
)

// An Egress is the [Drafter], [Editor], [Typer] and [StatusShower] of its
// channel, as far as the channel is: so that ephemeral showings keep the platform's
// waits as messages do, and take from the account's rate only the part that messages
// leave over. A showing waits for no rate, and no message waits for a showing.
var (
	_ Drafter      = (*Egress)(nil)
	_ Editor       = (*Egress)(nil)
	_ Typer        = (*Egress)(nil)
	_ StatusShower = (*Egress)(nil)
)

// ErrNoRoom says that a showing is left out now, because the chat or the account has to
// wait or because the rest of the rates is kept for messages.
var ErrNoRoom = errors.New("there is no room for what is shown in passing")

// Draft shows a growing answer as a draft, or says [ErrNoRoom].
func (e *Egress) Draft(ctx context.Context, to Address, id, text string) error {
	drafter, ok := e.opt.Channel.(Drafter)
	if !ok {
		return fmt.Errorf("%s has no drafts", e.opt.Channel.Name())
	}
	return e.ephemeral(ctx, to, (*chatPacer).spareOfAccount, func(ctx context.Context) error {
		return drafter.Draft(ctx, to, id, e.opt.Redact(cleanText(text)))
	})
}

// Edits says whether the channel shows a growing answer to a chat by editing a
// message.
func (e *Egress) Edits(to Address) bool {
	editor, ok := e.opt.Channel.(Editor)
	return ok && editor.Edits(to)
}

// Edit shows text in a message that was opened for it, or says [ErrNoRoom]. It
// counts towards the chat's rate too, which keeps room for the message that will
// finish it.
func (e *Egress) Edit(ctx context.Context, to Address, messageID, text string) error {
	editor, ok := e.opt.Channel.(Editor)
	if !ok {
		return fmt.Errorf("%s edits no messages", e.opt.Channel.Name())
	}
	return e.ephemeral(ctx, to, (*chatPacer).spare, func(ctx context.Context) error {
		return editor.Edit(ctx, to, messageID, e.opt.Redact(cleanText(text)))
	})
}

// Typing shows that the bot is at work, or says [ErrNoRoom].
func (e *Egress) Typing(ctx context.Context, to Address) error {
	typer, ok := e.opt.Channel.(Typer)
	if !ok {
		return fmt.Errorf("%s does not show who types", e.opt.Channel.Name())
	}
	return e.ephemeral(ctx, to, (*chatPacer).spareOfAccount, func(ctx context.Context) error { return typer.Typing(ctx, to) })
}

// Status shows a passing note, or says [ErrNoRoom].
func (e *Egress) Status(ctx context.Context, to Address, note string) error {
	shower, ok := e.opt.Channel.(StatusShower)
	if !ok {
		return fmt.Errorf("%s shows no notes", e.opt.Channel.Name())
	}
	return e.ephemeral(ctx, to, (*chatPacer).spareOfAccount, func(ctx context.Context) error {
		return shower.Status(ctx, to, e.opt.Redact(cleanText(note)))
	})
}

// showing is one ephemeral showing in a chat; drop ends its waiting.
type showing struct {
	chat string
	drop context.CancelCauseFunc
}

// ephemeral shows something if there is room for it. A rate limit that it meets
// holds the chat's messages too, and a limit that a message meets meanwhile ends the
// showing, as far as the adapter still waits.
func (e *Egress) ephemeral(
	ctx context.Context, to Address, room func(*chatPacer, *accountPacer) bool, show func(context.Context) error,
) error {
	chat := e.chats.enter(to.Chat)
	defer e.chats.leave(to.Chat, chat)
	ctx, cancel := context.WithTimeout(ctx, e.opt.SendTimeout)
	defer cancel()
	ctx, drop := context.WithCancelCause(ctx)
	defer drop(nil)
	s := &showing{chat: to.Chat, drop: drop}
	e.mu.Lock()
	e.shows[s] = true
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		delete(e.shows, s)
		e.mu.Unlock()
	}()
	if !room(chat, e.account) {
		return ErrNoRoom
	}
	err := show(ctx)
	if se, ok := errors.AsType[*SendError](err); ok && se.Class == SendRateLimited && se.RetryAfter > 0 {
		e.holdBack(se, to.Chat, chat)
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrNoRoom) {
		return ErrNoRoom
	}
	return err
}

// holdBack lets the chat, or the account, wait as long as the platform says. Showings
// that wait there are dropped.
func (e *Egress) holdBack(se *SendError, chat string, l *chatPacer) {
	after := jitter(min(se.RetryAfter, maxRetryAfter))
	if se.Account {
		e.account.hold(after)
	} else {
		l.hold(after)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for s := range e.shows {
		if se.Account || s.chat == chat {
			s.drop(ErrNoRoom)
		}
	}
}
