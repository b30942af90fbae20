package outbound

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/rs/zerolog"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/markup"
	"parley/pkg/channels/wire"
)

// The words of Options.Stream.
const (
	StreamAuto  = "auto"
	StreamEdit  = "edit"
	StreamDraft = "draft"
	StreamOff   = "off"
)

// maxText is the longest message in UTF-16 units, after its entities are parsed.
const maxText = 4096

// Options say how messages leave. API is required.
type Options struct {
	API *api.Client
	// Stream says how an answer shows while it grows: one of the Stream words.
	Stream string
	// Rates bound how much is sent.
	Rates Rates
	// Moved is told that a group has become a supergroup. nil ignores it.
	Moved func(ctx context.Context, from, to channels.Address) error
	Log   zerolog.Logger
}

// Sender is the way out of one bot. It keeps its memory in the process alone: a restart
// begins without.
type Sender struct {
	opt    Options
	poster *poster
	paces  wire.Paces[pace]
	// doubts say until when an edit of a preview that got no answer may yet take effect.
	doubts wire.Paces[pace]
	// undraftable: the server does not know drafts.
	undraftable atomic.Bool
}

// New makes the way out of a bot.
func New(o Options) *Sender {
	return &Sender{opt: o, poster: &poster{client: o.API, log: o.Log, moved: o.Moved}}
}

// Limits implements [channels.Channel].
func (s *Sender) Limits() channels.Limits { return s.opt.Rates.limits() }

// Split implements [channels.Splitter]: it turns Markdown into Telegram's HTML,
// cut between blocks where possible, each part complete by itself. A text without
// anything to see has no parts.
func (*Sender) Split(text string) []string { return markup.Render(text, maxText) }

// Buttons implements [channels.Buttoner]: wherever the bot may write, each reader may
// press.
func (*Sender) Buttons(channels.Address) bool { return true }

// Typing implements [channels.Typer]. Telegram shows it for five seconds, or until
// the bot's next message.
func (s *Sender) Typing(ctx context.Context, to channels.Address) error {
	params := tgbotapi.Params{"chat_id": to.Chat, "action": tgbotapi.ChatTyping}
	params.AddNonEmpty("message_thread_id", to.Thread)
	if err := s.opt.API.Call(ctx, "sendChatAction", params, nil); err != nil {
		return s.poster.sendError(to.Chat, err)
	}
	return nil
}

// Send implements [channels.Channel]. The text of a part is one of those that Split
// returned: Telegram's HTML, which the outbox also stores for a message with several
// parts.
//
// A message that Telegram refuses for a reason with a cure is sent again within the
// same call, changed: as plain text when the HTML cannot be read, without the reply
// when that message is gone, to the new id of a group that migrated.
func (s *Sender) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	if part.Edits != "" {
		return s.edit(ctx, part, part.Edits)
	}
	receipt, err := s.poster.deliver(wire.Watched(ctx), newPost(&part))
	if err != nil {
		return channels.Receipt{}, s.poster.sendError(part.Address.Chat, err)
	}
	if part.Preview {
		s.paces.Hold(pace{to: part.Address, message: receipt.MessageID}, editEvery)
	}
	return receipt, nil
}

// edit is Send for a part that takes the place of a message of the bot: the preview
// that was opened for it, or a question that is answered. Telegram removes the buttons
// of a message that is edited to have none. Where that message is gone, the part is
// sent as a new one. An edit that got no answer is simply made again, because a second
// one has no effect. It is made once more before there is a receipt where an earlier
// edit of the preview may come behind it.
func (s *Sender) edit(ctx context.Context, part channels.Part, messageID string) (channels.Receipt, error) {
	p := newPost(&part)
	p.edits = messageID
	receipt, err := s.poster.deliver(wire.Watched(ctx), p)
	if err == nil && p.edits != "" {
		err = s.outlast(ctx, p)
	}
	if err == nil {
		return receipt, nil
	}
	se := s.poster.sendError(part.Address.Chat, err)
	if p.edits != "" && se.Class == channels.SendAmbiguous {
		se.Class = channels.SendTransient
	}
	return channels.Receipt{}, se
}

// outlast repeats an edit that was accepted, after the last doubtful edit before it can
// no longer arrive.
func (s *Sender) outlast(ctx context.Context, p *post) error {
	wait := s.doubts.Left(pace{to: p.to, message: p.edits})
	if wait <= 0 {
		return nil
	}
	if !backoff.Sleep(ctx, wait) {
		return ctx.Err()
	}
	_, err := s.poster.attempt(ctx, p)
	if refusal, ok := errors.AsType[*api.Error](err); ok && refusal.Code == http.StatusBadRequest {
		return nil // it is not modified, or a person deleted it on purpose
	}
	return err
}
