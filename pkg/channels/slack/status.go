package slack

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

const (
	// The status stands behind the app's name in a thread.
	workingStatus = "is working on it…"
	// Slack takes a status away after two minutes, and with the app's next message.
	statusEvery = time.Minute
	// The reaction is on the message that is worked on, where no status can be.
	workingReaction = "eyes"
	// How long taking it away again may take.
	besideTimeout = 10 * time.Second
)

// place is what is known of an address.
type place struct {
	// ts is the newest message that was taken in there and user its sender, as in
	// [channels.Sender].
	ts, user string
	// status is when a status was set last, reacted the message that has the
	// reaction, tried one that took none.
	status         time.Time
	reacted, tried string
}

// heard remembers a message that was taken in, once it is stored: it is the one that
// shows that the bot is at work, and its sender is whom a stream is for.
func (o *out) heard(at channels.Address, ts, user string) {
	o.places.with(at, func(p *place) { p.ts, p.user = ts, user })
}

// Typing implements [channels.Typer]. In a thread the app has a status; elsewhere,
// and where Slack refuses that, the newest message that was taken in gets a
// reaction, which is taken away when the answer has left. Where the app may do
// neither, it costs one call and nothing is shown. A limit of these calls is none of
// messages: it is never a [*channels.SendError].
//
// There is no StatusShower: direct messages outside of threads have no place for a
// note, so notes stand below the growing answer everywhere.
func (c *Channel) Typing(ctx context.Context, to channels.Address) error {
	if to.Thread != "" && c.out.statuses.on() {
		if done, err := c.showStatus(ctx, to); done || err != nil {
			return err
		}
	}
	if !c.out.reactions.on() {
		return nil
	}
	return c.showReaction(ctx, to)
}

// showStatus sets the status of a thread; not done means that there is none here.
func (c *Channel) showStatus(ctx context.Context, to channels.Address) (done bool, err error) {
	if p, ok := c.out.places.get(to); ok && time.Since(p.status) < statusEvery {
		return true, nil
	}
	err = c.client.call(ctx, "assistant.threads.setStatus", func(ctx context.Context, api *slack.Client) error {
		return api.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{
			ChannelID: to.Chat, ThreadTS: to.Thread, Status: workingStatus,
		})
	})
	refusal, refused := errors.AsType[*apiError](err)
	switch {
	case refused && refusal.unsupported():
		if c.out.statuses.off() {
			c.log.Info().Str("error", refusal.Name).Msg("slack takes no status of this app: messages that are worked on get a reaction")
		}
		return false, nil
	case refused && refusal.class() != channels.SendRateLimited:
		return false, nil
	case err == nil || refused:
		c.out.places.with(to, func(p *place) { p.status = time.Now() })
		return true, nil
	default:
		return true, err
	}
}

func (c *Channel) showReaction(ctx context.Context, to channels.Address) error {
	p, ok := c.out.places.get(to)
	if !ok || p.ts == "" || p.reacted != "" || p.tried == p.ts {
		return nil
	}
	err := c.client.call(ctx, "reactions.add", func(ctx context.Context, api *slack.Client) error {
		return api.AddReactionContext(ctx, workingReaction, slack.NewRefToMessage(to.Chat, p.ts))
	})
	refusal, refused := errors.AsType[*apiError](err)
	switch {
	case err == nil, refused && refusal.is("already_reacted"):
		c.out.places.with(to, func(now *place) { now.reacted = p.ts })
		return nil
	case refused:
		c.out.places.with(to, func(now *place) { now.tried = p.ts })
		if refusal.unsupported() && c.out.reactions.off() {
			c.log.Info().Str("error", refusal.Name).Msg("slack takes no reaction of this app: nothing shows that it is at work")
		}
		return nil
	default:
		return err
	}
}

// answered takes the reaction away of what got its answer, beside everything else:
// it is for the eye, so it is not done again. A status Slack takes away itself.
func (c *Channel) answered(ctx context.Context, to channels.Address) {
	p, ok := c.out.places.get(to)
	if !ok || p.reacted == "" && p.status.IsZero() {
		return
	}
	c.out.places.with(to, func(now *place) { now.status, now.reacted = time.Time{}, "" })
	if p.reacted == "" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	c.out.beside.do(func() {
		ctx, cancel := context.WithTimeout(ctx, besideTimeout)
		defer cancel()
		err := c.unreact(ctx, to.Chat, p.reacted)
		if refusal, ok := errors.AsType[*apiError](err); ok && refusal.RetryAfter > 0 && wire.Sleep(ctx, refusal.RetryAfter) {
			err = c.unreact(ctx, to.Chat, p.reacted)
		}
		if err != nil {
			c.log.Debug().Err(err).Msg("a reaction is not taken away")
		}
	})
}

func (c *Channel) unreact(ctx context.Context, chat, ts string) error {
	return c.client.call(ctx, "reactions.remove", func(ctx context.Context, api *slack.Client) error {
		return api.RemoveReactionContext(ctx, workingReaction, slack.NewRefToMessage(chat, ts))
	})
}

// maxBeside is how many small things are done beside the sends at once.
const maxBeside = 32

// beside does small things beside the sends, until it is closed or too many are
// under way; what comes then is done at once, by whoever brings it.
type beside struct {
	mu     sync.Mutex
	closed bool
	count  int
	work   sync.WaitGroup
}

func (b *beside) do(f func()) {
	b.mu.Lock()
	if b.closed || b.count == maxBeside {
		b.mu.Unlock()
		f()
		return
	}
	b.count++
	b.work.Go(func() {
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.count--
		}()
		f()
	})
	b.mu.Unlock()
}

// close waits for what is under way.
func (b *beside) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.work.Wait()
}
