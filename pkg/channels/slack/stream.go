package slack

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/markup"
	"parley/pkg/channels/wire"
)

const (
	// The least time between two showings of a message.
	editEvery = time.Second
	// The bound of one showing. Nothing else cuts it: what is on its way must have
	// arrived before the message that finishes it leaves.
	showTimeout = 3 * time.Second
	// How long after that an edit without an answer may yet take effect.
	lateEdit = 10 * time.Second
	// A message that must not be changed for longer than this is not waited for.
	showPatience = 2 * time.Second
	// What Slack refused is not tried again sooner than this.
	refusedPause = 10 * time.Second
)

// stream is a message that was opened by chat.startStream.
type stream struct {
	// shown is all that was appended so far.
	shown string
	// over: the stream has ended, or it is not known any more what it shows. The
	// message is edited from then on.
	over bool
}

// unstreamable is where Slack takes no streams.
type unstreamable struct {
	mu       sync.Mutex
	anywhere bool
	kinds    map[byte]bool // by the first letter of a channel's id
}

func (u *unstreamable) in(chat string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.anywhere || chat == "" || u.kinds[chat[0]]
}

// learn takes a refusal of a stream in a chat; true where it says something of the
// next one.
func (u *unstreamable) learn(chat string, refusal *apiError) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case chat == "":
	case refusal.is("channel_type_not_supported", "method_not_supported_for_channel_type",
		"missing_recipient_team_id", "missing_recipient_user_id"):
		if u.kinds == nil {
			u.kinds = map[byte]bool{}
		}
		u.kinds[chat[0]] = true
		return true
	case refusal.unsupported():
		u.anywhere = true
		return true
	}
	return false
}

// Edits implements [channels.Editor].
func (c *Channel) Edits(to channels.Address) bool {
	switch c.opt.Stream {
	case streamAuto, streamEdit:
		return true
	case streamNative:
		_, ok := c.audience(to)
		return ok
	default:
		return false
	}
}

// audience is whom a stream at an address is for, as options of chat.startStream;
// false where there can be none. A stream is a reply: it needs a thread. In a
// channel Slack asks whom it is for: the one who wrote last there, so that after a
// restart there is none before somebody writes. (In a channel that one sees it
// grow, and others see it when it is finished.)
func (c *Channel) audience(to channels.Address) ([]slack.MsgOption, bool) {
	if c.opt.Stream != streamAuto && c.opt.Stream != streamNative || to.Thread == "" || c.out.unstreamable.in(to.Chat) {
		return nil, false
	}
	if strings.HasPrefix(to.Chat, "D") {
		return nil, true
	}
	p, _ := c.out.places.get(to)
	if p.user == "" {
		return nil, false
	}
	team, user, foreign := strings.Cut(p.user, "/")
	if !foreign {
		team, user = c.Account(), p.user
	}
	return []slack.MsgOption{slack.MsgOptionRecipientTeamID(team), slack.MsgOptionRecipientUserID(user)}, true
}

// open is Send for a part that shows an answer while it grows: as a stream where
// Slack takes one, else as a message that is edited.
func (c *Channel) open(ctx context.Context, p *post) (channels.Receipt, error) {
	receipt, done, err := c.start(ctx, p)
	if !done && err == nil {
		receipt, err = c.deliver(ctx, p)
	}
	if err != nil {
		return channels.Receipt{}, c.sendError(p.to.Chat, err)
	}
	c.out.paces.Hold(spot{p.to.Chat, receipt.MessageID}, editEvery)
	return receipt, nil
}

// start opens a stream. Not done without an error means that there is none: what
// Slack refuses is left to a message, which says what is really the matter.
func (c *Channel) start(ctx context.Context, p *post) (r channels.Receipt, done bool, err error) {
	options, ok := c.audience(p.to)
	text := steady(p.block)
	if !ok || text == "" || c.out.paces.Left(spot{ts: allStreams}) > 0 {
		return r, false, nil
	}
	options = append(options, slack.MsgOptionTS(p.to.Thread), slack.MsgOptionMarkdownText(text))
	var k posted
	err = c.client.read(ctx, "chat.startStream", &k, func(ctx context.Context, api *slack.Client) error {
		_, _, err := api.StartStreamContext(ctx, p.to.Chat, options...)
		return err
	})
	if refusal, ok := errors.AsType[*apiError](err); ok {
		switch {
		case refusal.class() == channels.SendRateLimited: // of the method, in the whole workspace
			c.out.paces.Hold(spot{ts: allStreams}, max(refusal.RetryAfter, editEvery))
			return r, false, nil
		case refusal.passes():
			return r, false, err
		}
		if c.out.unstreamable.learn(p.to.Chat, refusal) {
			c.log.Info().Str("error", refusal.Name).Msg("slack takes no streams here: growing answers are edited")
		}
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	c.out.streams.with(spot{p.to.Chat, k.TS}, func(s *stream) { *s = stream{shown: text} })
	return channels.Receipt{MessageID: k.TS, Time: time.Now()}, true, nil
}

// Edit implements [channels.Editor]: it appends to a stream what came behind what
// is shown, or shows text in place of it. A message is changed at most once a
// second. Of a long text the beginning is shown, because that is what the message
// will hold in the end.
func (c *Channel) Edit(ctx context.Context, to channels.Address, messageID, text string) error {
	parts := markup.Split(text)
	if len(parts) == 0 {
		return nil
	}
	at := spot{to.Chat, messageID}
	if err := c.out.paces.Wait(ctx, at, editEvery, showPatience); err != nil {
		return err
	}
	defer c.out.paces.Hold(at, editEvery) // Slack counts from when it took the call
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), showTimeout)
	defer cancel()
	p := &post{to: to, block: markup.Block(parts[0]), native: markup.Mrkdwn(parts[0]), edits: messageID}
	if s, ok := c.out.streams.get(at); ok && !s.over {
		if done, err := c.grow(ctx, at, s, p); done || err != nil {
			return err
		}
	}
	return c.redraw(ctx, at, p)
}

// grow appends to a stream; not done means that there is none any more, and that
// the message is to be edited.
func (c *Channel) grow(ctx context.Context, at spot, s stream, p *post) (done bool, err error) {
	text := steady(p.block)
	if strings.HasPrefix(s.shown, text) {
		return true, nil // what is new may yet turn out to be something else
	}
	more, goesOn := strings.CutPrefix(text, s.shown)
	if !goesOn {
		c.endOf(at)
		return false, c.stop(ctx, p)
	}
	err = c.client.call(ctx, "chat.appendStream", func(ctx context.Context, api *slack.Client) error {
		_, _, err := api.AppendStreamContext(ctx, at.chat, at.ts, slack.MsgOptionMarkdownText(more))
		return err
	})
	refusal, refused := errors.AsType[*apiError](err)
	switch {
	case err == nil:
		c.out.streams.with(at, func(s *stream) { s.shown = text })
		return true, nil
	case refused && refusal.class() == channels.SendRateLimited:
		// It says nothing of messages, which have a limit of their own.
		c.out.paces.Hold(at, max(refusal.RetryAfter, editEvery))
		return true, wire.ErrPaused
	case refused && !refusal.doubtful():
		c.endOf(at)
		return false, nil
	default: // it may be there, now or later
		c.endOf(at)
		return true, err
	}
}

// endOf remembers that a message is no stream any more.
func (c *Channel) endOf(at spot) {
	c.out.streams.with(at, func(s *stream) { s.over = true })
}

// redraw shows p in place of what its message shows. A refusal is a [*channels.SendError].
func (c *Channel) redraw(ctx context.Context, at spot, p *post) error {
	if c.out.paces.Left(spot{ts: allEdits}) > 0 {
		return wire.ErrPaused
	}
	_, err := c.attempt(ctx, p)
	refusal, refused := errors.AsType[*apiError](err)
	switch {
	case !refused:
	case refusal.badBlocks() && !p.plain:
		c.withoutBlocks(p, refusal)
		_, err = c.attempt(ctx, p)
	case refusal.streaming():
		if err = c.stop(ctx, p); err == nil {
			_, err = c.attempt(ctx, p)
		}
	}
	if lost, ok := errors.AsType[*wire.Error](err); ok && lost.Pending() {
		c.out.doubts.Hold(at, lateEdit)
	}
	if refusal, refused = errors.AsType[*apiError](err); !refused {
		return err
	}
	c.out.paces.Hold(at, max(refusal.RetryAfter, refusedPause))
	se := c.sendError(at.chat, refusal)
	c.spareEdits(se)
	return se
}

// What stands, in no chat, for every message that is edited while it grows, and for
// every stream that is opened.
const allEdits, allStreams = "edits", "streams"

// spareEdits keeps growing answers back everywhere while Slack takes no edits: the
// limit of chat.update is the whole workspace's, and those that finish answers go first.
func (c *Channel) spareEdits(se *channels.SendError) {
	if refusal, ok := errors.AsType[*apiError](se); ok && se.Class == channels.SendRateLimited && refusal.Method == "chat.update" {
		c.out.paces.Hold(spot{ts: allEdits}, refusal.RetryAfter)
	}
}

// endStream ends the stream of the message that p finishes, if there is one that is
// known. Done means that the message holds p, because what was shown is its
// beginning and the rest came with the end.
func (c *Channel) endStream(ctx context.Context, at spot, p *post) (r channels.Receipt, done bool, err error) {
	s, ok := c.out.streams.get(at)
	if !ok || s.over {
		return r, false, nil // if there is one all the same, the edit is refused and says so
	}
	c.endOf(at) // whatever comes of it
	rest, goesOn := strings.CutPrefix(p.block, s.shown)
	if !goesOn || len(p.buttons) > 0 {
		return r, false, c.stop(ctx, p)
	}
	err = c.stopWith(ctx, p, rest)
	if err == nil {
		return channels.Receipt{MessageID: at.ts, Time: time.Now()}, true, nil
	}
	refusal, refused := errors.AsType[*apiError](err)
	if refused && !refusal.passes() {
		return r, false, nil
	}
	return r, false, err
}

// stop ends the stream of the message that p edits. A stream that has ended by
// itself is as good.
func (c *Channel) stop(ctx context.Context, p *post) error {
	p.stopped = true
	err := c.stopWith(ctx, p, "")
	if refusal, ok := errors.AsType[*apiError](err); ok && !refusal.passes() {
		return nil // the edit will say what is the matter
	}
	return err
}

func (c *Channel) stopWith(ctx context.Context, p *post, rest string) error {
	var options []slack.MsgOption
	if rest != "" {
		options = append(options, slack.MsgOptionMarkdownText(rest))
	}
	var k posted
	return c.client.read(ctx, "chat.stopStream", &k, func(ctx context.Context, api *slack.Client) error {
		_, _, err := api.StopStreamContext(ctx, p.to.Chat, p.edits, options...)
		return err
	})
}

// steady is as much of a growing text, in the form of a markdown block, as what
// comes behind it cannot change any more: of its last block only what stands before
// the first character that may be, or become, markup.
func steady(block string) string {
	last := strings.LastIndex(block, "\n\n") + 1
	if last == 0 && len(block) > 0 && strings.ContainsRune("#>-+|=", rune(block[0])) {
		return ""
	}
	if i := strings.IndexAny(block[last:], "*_~`[]<>|\\#!&\u200b"); i >= 0 {
		return strings.TrimRight(block[:last+i], " \n")
	}
	return strings.TrimRight(block, " \n")
}
