package outbound

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"
	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
)

const (
	// Slack takes a status away after two minutes, and with the app's next message.
	statusEvery = time.Minute
	// The reaction is on the message that is worked on, where no status can be.
	workingReaction = "eyes"
	// It is taken away when the bot has not been at work for so long: a turn may
	// end without an answer.
	reactionIdle = 30 * time.Second
)

// place is the knowledge about an address.
type place struct {
	// ts is the newest message that was taken in there and user its sender, as in
	// [channels.Sender].
	ts, user string
	// status is when a status was set last, reacted the message that has the reaction,
	// tried one that refused it.
	status         time.Time
	reacted, tried string
}

// activity shows at an address that the bot is at work there.
type activity struct {
	client    *api.Client
	log       zerolog.Logger
	places    recent[channels.Address, place]
	statuses  switched
	reactions switched
	marks     *marks
}

// heard remembers a message that was let in.
func (a *activity) heard(at channels.Address, ts, user string) {
	a.places.with(at, func(p *place) { p.ts, p.user = ts, user })
}

// author is the newest sender at an address, or "".
func (a *activity) author(at channels.Address) string {
	p, _ := a.places.get(at)
	return p.user
}

// show shows that the bot is at work: [Sender.Typing].
func (a *activity) show(ctx context.Context, to channels.Address) error {
	if to.Thread != "" && a.statuses.on() {
		if done, err := a.showStatus(ctx, to); done || err != nil {
			return err
		}
	}
	if !a.reactions.on() {
		return nil
	}
	return a.showReaction(ctx, to)
}

// showStatus sets the status of a thread; not done means that the address has none.
func (a *activity) showStatus(ctx context.Context, to channels.Address) (done bool, err error) {
	if p, ok := a.places.get(to); ok && time.Since(p.status) < statusEvery {
		return true, nil
	}
	err = a.client.Call(ctx, "assistant.threads.setStatus", func(ctx context.Context, web *slack.Client) error {
		return web.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{
			ChannelID: to.Chat, ThreadTS: to.Thread, Status: textWorking,
		})
	})
	refusal, refused := errors.AsType[*api.Error](err)
	switch {
	case refused && refusal.Unsupported():
		if a.statuses.off() {
			a.log.Info().Str("error", refusal.Name).Msg("slack takes no status of this app: messages that are worked on get a reaction")
		}
		return false, nil
	case refused && refusal.Class() != channels.SendRateLimited:
		return false, nil
	case err == nil || refused:
		a.places.with(to, func(p *place) { p.status = time.Now() })
		return true, nil
	default:
		return true, err
	}
}

func (a *activity) showReaction(ctx context.Context, to channels.Address) error {
	p, ok := a.places.get(to)
	if !ok || p.ts == "" || p.tried == p.ts {
		return nil
	}
	if p.reacted != "" && a.marks.keep(spot{to.Chat, p.reacted}) || !a.marks.room() {
		return nil
	}
	err := a.client.Call(ctx, "reactions.add", func(ctx context.Context, web *slack.Client) error {
		return web.AddReactionContext(ctx, workingReaction, slack.NewRefToMessage(to.Chat, p.ts))
	})
	refusal, refused := errors.AsType[*api.Error](err)
	switch {
	case err == nil, refused && refusal.Has("already_reacted"):
		a.places.with(to, func(now *place) { now.reacted = p.ts })
		a.marks.unmark(ctx, spot{to.Chat, p.ts}, reactionIdle, 0)
		return nil
	case refused:
		a.places.with(to, func(now *place) { now.tried = p.ts })
		if refusal.Unsupported() && a.reactions.off() {
			a.log.Info().Str("error", refusal.Name).Msg("slack takes no reaction of this app: nothing shows that it is at work")
		}
		return nil
	default:
		return err
	}
}

// answered removes the reaction from an answered message, beside everything else. A
// status Slack takes away itself.
func (a *activity) answered(ctx context.Context, to channels.Address) {
	p, ok := a.places.get(to)
	if !ok || p.reacted == "" && p.status.IsZero() {
		return
	}
	a.places.with(to, func(now *place) { now.status, now.reacted = time.Time{}, "" })
	if p.reacted != "" {
		a.marks.unmark(ctx, spot{to.Chat, p.reacted}, 0, 0)
	}
}
