package outbound

import (
	"context"
	"errors"
	"time"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/wire"
)

const (
	// The least time between two showings of a message.
	editEvery = time.Second
	// The bound of one showing. It has no other end: a showing on its way must have
	// arrived before the message that finishes it leaves.
	showTimeout = 3 * time.Second
	// How long after that an edit without an answer may yet take effect.
	lateEdit = 10 * time.Second
	// A message that must not be changed for longer than this is not waited for.
	showPatience = 2 * time.Second
	// A preview that Slack refused is not tried again sooner than this.
	refusedPause = 10 * time.Second
)

// live shows an answer while it grows, in one message.
type live struct {
	poster  *poster
	streams *streams
	paces   *wire.Paces[spot]
	// doubts say until when an edit of a preview that got no answer may yet take effect.
	doubts wire.Paces[spot]
}

// open is Send for a part that shows an answer while it grows: as a stream where
// Slack takes one, else as a message that is edited.
func (l *live) open(ctx context.Context, p *post) (channels.Receipt, error) {
	receipt, done, err := l.streams.start(ctx, p)
	if !done && err == nil {
		receipt, err = l.poster.deliver(ctx, p)
	}
	if err != nil {
		return channels.Receipt{}, l.poster.sendError(p.to.Chat, err)
	}
	l.paces.Hold(spot{p.to.Chat, receipt.MessageID}, editEvery)
	return receipt, nil
}

// show shows p in the message messageID, as far as its answer has grown.
func (l *live) show(ctx context.Context, p *post, messageID string) error {
	at := spot{p.to.Chat, messageID}
	p.edits = messageID
	if err := l.paces.Wait(ctx, at, editEvery, showPatience); err != nil {
		return err
	}
	defer l.paces.Hold(at, editEvery) // Slack counts from when it took the call
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showTimeout)
	defer cancel()
	if st, ok := l.streams.running(at); ok {
		if done, err := l.streams.grow(ctx, at, st, p); done || err != nil {
			return err
		}
	}
	return l.redraw(ctx, at, p)
}

// redraw shows p in its message. A refusal is a [*channels.SendError].
func (l *live) redraw(ctx context.Context, at spot, p *post) error {
	if l.paces.Left(spot{ts: allEdits}) > 0 {
		return wire.ErrPaused
	}
	_, err := l.poster.attempt(ctx, p)
	refusal, refused := errors.AsType[*api.Error](err)
	switch {
	case !refused:
	case refusal.BadBlocks() && !p.plain:
		l.poster.withoutBlocks(p, refusal)
		_, err = l.poster.attempt(ctx, p)
	case refusal.Streaming():
		if err = l.streams.stop(ctx, p); err == nil {
			_, err = l.poster.attempt(ctx, p)
		}
	}
	if lost, ok := errors.AsType[*wire.Error](err); ok && lost.Pending() {
		l.doubts.Hold(at, lateEdit)
	}
	if refusal, refused = errors.AsType[*api.Error](err); !refused {
		return err
	}
	l.paces.Hold(at, max(refusal.RetryAfter, refusedPause))
	se := l.poster.sendError(at.chat, refusal)
	l.spareEdits(se)
	return se
}

// The key, in no chat, for every message that is edited while it grows.
const allEdits = "edits"

// spareEdits keeps growing answers back everywhere while Slack takes no edits: the
// limit of chat.update is the whole workspace's, and those that finish answers go first.
func (l *live) spareEdits(se *channels.SendError) {
	if refusal, ok := errors.AsType[*api.Error](se); ok && se.Class == channels.SendRateLimited && refusal.Method == "chat.update" {
		l.paces.Hold(spot{ts: allEdits}, refusal.RetryAfter)
	}
}

// finish is Send for a part that takes the place of a message of the bot: the preview
// that was opened for it, or a question that is answered. Its blocks are replaced,
// buttons and all. Where that message is gone, or may not be changed any more, the part
// is sent as a new one. An edit that got no answer is simply made again, because a
// second one has no effect; the messages behind it are not. It is made once more before
// there is a receipt where an earlier edit of the preview may come behind it.
func (l *live) finish(ctx context.Context, p *post) (channels.Receipt, error) {
	at := spot{p.to.Chat, p.edits}
	receipt, done, err := l.streams.end(ctx, at, p)
	if !done && err == nil {
		receipt, err = l.poster.deliver(ctx, p)
		if err == nil && p.edits != "" {
			err = l.outlast(ctx, p)
		}
	}
	if err == nil {
		l.streams.drop(at)
		return receipt, nil
	}
	se := l.poster.sendError(p.to.Chat, err)
	l.spareEdits(se)
	if p.edits != "" && !p.short && se.Class == channels.SendAmbiguous {
		se.Class = channels.SendTransient
	}
	return channels.Receipt{}, se
}

// outlast repeats an edit that was accepted, after the last doubtful edit before it can
// no longer arrive.
func (l *live) outlast(ctx context.Context, p *post) error {
	wait := l.doubts.Left(spot{p.to.Chat, p.edits})
	if wait <= 0 {
		return nil
	}
	if !backoff.Sleep(ctx, wait) {
		return ctx.Err()
	}
	_, err := l.poster.attempt(ctx, p)
	if refusal, ok := errors.AsType[*api.Error](err); ok && refusal.NoEdit() {
		return nil // a person deleted it on purpose
	}
	return err
}
