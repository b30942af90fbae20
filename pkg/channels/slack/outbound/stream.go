package outbound

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/wire"
)

// The key, in no chat, for every stream that is opened.
const allStreams = "streams"

// streams are the messages that are being streamed.
type streams struct {
	client *api.Client
	log    zerolog.Logger
	// mode is the word of Options.Stream.
	mode, team string
	// author is the newest sender at an address, as in [channels.Sender].
	author func(channels.Address) string
	paces  *wire.Paces[spot]

	known        recent[spot, stream]
	unstreamable unstreamable
}

// drop forgets the stream of a message.
func (s *streams) drop(at spot) { s.known.drop(at) }

// running is the stream of a message, if it goes on.
func (s *streams) running(at spot) (stream, bool) {
	st, ok := s.known.get(at)
	return st, ok && !st.over
}

// stream is a message that was opened by chat.startStream.
type stream struct {
	// shown is all that was appended so far.
	shown string
	// over: the stream has ended, or its shown text is unknown. The message is edited
	// from then on.
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
func (u *unstreamable) learn(chat string, refusal *api.Error) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case chat == "":
	case refusal.Has("channel_type_not_supported", "method_not_supported_for_channel_type",
		"missing_recipient_team_id", "missing_recipient_user_id"):
		if u.kinds == nil {
			u.kinds = map[byte]bool{}
		}
		u.kinds[chat[0]] = true
		return true
	case refusal.Unsupported():
		u.anywhere = true
		return true
	}
	return false
}

// audience is the reader of a stream at an address, as options of chat.startStream;
// false where a stream is impossible. A stream is a reply: it needs a thread. In a
// channel Slack asks for a reader: the newest sender there, so that after a restart
// there is none before somebody writes. (In a channel that one sees it grow, and others
// see it when it is finished.)
func (s *streams) audience(to channels.Address) ([]slack.MsgOption, bool) {
	if s.mode != StreamAuto && s.mode != StreamNative || to.Thread == "" || s.unstreamable.in(to.Chat) {
		return nil, false
	}
	if strings.HasPrefix(to.Chat, "D") {
		return nil, true
	}
	author := s.author(to)
	if author == "" {
		return nil, false
	}
	team, user, foreign := strings.Cut(author, "/")
	if !foreign {
		team, user = s.team, author
	}
	return []slack.MsgOption{slack.MsgOptionRecipientTeamID(team), slack.MsgOptionRecipientUserID(user)}, true
}

// start opens a stream. Not done without an error means that there is no stream: a
// refusal by Slack is left to a message, which names the real fault.
func (s *streams) start(ctx context.Context, p *post) (r channels.Receipt, done bool, err error) {
	options, ok := s.audience(p.to)
	text := steady(p.block)
	if !ok || text == "" || s.paces.Left(spot{ts: allStreams}) > 0 {
		return r, false, nil
	}
	options = append(options, slack.MsgOptionTS(p.to.Thread), slack.MsgOptionMarkdownText(text))
	var k posted
	err = s.client.Read(ctx, "chat.startStream", &k, func(ctx context.Context, web *slack.Client) error {
		_, _, err := web.StartStreamContext(ctx, p.to.Chat, options...)
		return err
	})
	if refusal, ok := errors.AsType[*api.Error](err); ok {
		switch {
		case refusal.Class() == channels.SendRateLimited: // of the method, in the whole workspace
			s.paces.Hold(spot{ts: allStreams}, max(refusal.RetryAfter, editEvery))
			return r, false, nil
		case refusal.Passes():
			return r, false, err
		}
		if s.unstreamable.learn(p.to.Chat, refusal) {
			s.log.Info().Str("error", refusal.Name).Msg("slack takes no streams here: growing answers are edited")
		}
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	s.known.with(spot{p.to.Chat, k.TS}, func(st *stream) { *st = stream{shown: text} })
	return channels.Receipt{MessageID: k.TS, Time: time.Now()}, true, nil
}

// grow appends to a stream; not done means that the stream is over, and that the
// message is to be edited.
func (s *streams) grow(ctx context.Context, at spot, st stream, p *post) (done bool, err error) {
	text := steady(p.block)
	if strings.HasPrefix(st.shown, text) {
		return true, nil // the new text may yet change
	}
	more, goesOn := strings.CutPrefix(text, st.shown)
	if !goesOn {
		s.endOf(at)
		return false, s.stop(ctx, p)
	}
	err = s.client.Call(ctx, "chat.appendStream", func(ctx context.Context, web *slack.Client) error {
		_, _, err := web.AppendStreamContext(ctx, at.chat, at.ts, slack.MsgOptionMarkdownText(more))
		return err
	})
	refusal, refused := errors.AsType[*api.Error](err)
	switch {
	case err == nil:
		s.known.with(at, func(st *stream) { st.shown = text })
		return true, nil
	case refused && refusal.Class() == channels.SendRateLimited:
		// It does not concern messages, which have a limit of their own.
		s.paces.Hold(at, max(refusal.RetryAfter, editEvery))
		return true, wire.ErrPaused
	case refused && !refusal.Doubtful():
		s.endOf(at)
		return false, nil
	default: // it may be there, now or later
		s.endOf(at)
		return true, err
	}
}

// endOf remembers that a message is no stream any more.
func (s *streams) endOf(at spot) {
	s.known.with(at, func(st *stream) { st.over = true })
}

// end ends the stream of the message that p finishes, if there is one that is known.
// Done means that the message holds p, because the shown text is its beginning and the
// rest came with the end.
func (s *streams) end(ctx context.Context, at spot, p *post) (r channels.Receipt, done bool, err error) {
	st, ok := s.running(at)
	if !ok {
		return r, false, nil // if there is one all the same, the edit is refused and says so
	}
	s.endOf(at) // whatever comes of it
	rest, goesOn := strings.CutPrefix(p.block, st.shown)
	if !goesOn || len(p.buttons) > 0 {
		return r, false, s.stop(ctx, p)
	}
	err = s.stopWith(ctx, p, rest)
	if err == nil {
		return channels.Receipt{MessageID: at.ts, Time: time.Now()}, true, nil
	}
	refusal, refused := errors.AsType[*api.Error](err)
	if refused && !refusal.Passes() {
		return r, false, nil
	}
	return r, false, err
}

// stop ends the stream of the message that p edits. A stream that has ended by
// itself is as good.
func (s *streams) stop(ctx context.Context, p *post) error {
	p.stopped = true
	err := s.stopWith(ctx, p, "")
	if refusal, ok := errors.AsType[*api.Error](err); ok && !refusal.Passes() {
		return nil // the edit will name the fault
	}
	return err
}

func (s *streams) stopWith(ctx context.Context, p *post, rest string) error {
	var options []slack.MsgOption
	if rest != "" {
		options = append(options, slack.MsgOptionMarkdownText(rest))
	}
	var k posted
	return s.client.Read(ctx, "chat.stopStream", &k, func(ctx context.Context, web *slack.Client) error {
		_, _, err := web.StopStreamContext(ctx, p.to.Chat, p.edits, options...)
		return err
	})
}

// steady is the beginning of a growing text, in the form of a markdown block, that
// later text cannot change any more: of its last block only the part before the first
// character that may be, or become, markup.
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
