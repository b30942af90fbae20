package slack

import (
	"context"
	"errors"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
)

const (
	// The status stands behind the app's name in a thread.
	workingStatus = "is working on it…"
	// Slack takes a status away after two minutes, and with the app's next message.
	statusEvery = time.Minute
	// The reaction is on the message that is worked on, where no status can be.
	workingReaction = "eyes"
	// It is taken away when the bot has not been at work for so long: a turn may
	// end without an answer.
	reactionIdle = 30 * time.Second
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
// reaction, which is taken away when the answer has left, or when nothing is done any
// more. Where the app may do
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
	if !ok || p.ts == "" || p.tried == p.ts {
		return nil
	}
	if p.reacted != "" && c.out.marks.keep(spot{to.Chat, p.reacted}) || !c.out.marks.room() {
		return nil
	}
	err := c.client.call(ctx, "reactions.add", func(ctx context.Context, api *slack.Client) error {
		return api.AddReactionContext(ctx, workingReaction, slack.NewRefToMessage(to.Chat, p.ts))
	})
	refusal, refused := errors.AsType[*apiError](err)
	switch {
	case err == nil, refused && refusal.is("already_reacted"):
		c.out.places.with(to, func(now *place) { now.reacted = p.ts })
		c.unmark(ctx, spot{to.Chat, p.ts}, reactionIdle, 0)
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

// answered takes the reaction away of what got its answer, beside everything else.
// A status Slack takes away itself.
func (c *Channel) answered(ctx context.Context, to channels.Address) {
	p, ok := c.out.places.get(to)
	if !ok || p.reacted == "" && p.status.IsZero() {
		return
	}
	c.out.places.with(to, func(now *place) { now.status, now.reacted = time.Time{}, "" })
	if p.reacted != "" {
		c.unmark(ctx, spot{to.Chat, p.reacted}, 0, 0)
	}
}
