package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/markup"
	"parley/pkg/channels/wire"
)

// noPreview is the link_preview_options of every message: Telegram does not fetch the
// links of a model in its name.
const noPreview = `{"is_disabled":true}`

// poster sends one message, or puts it in place of another, with every remedy that
// helps against a refusal.
type poster struct {
	client *api.Client
	log    zerolog.Logger
	// moved is told that a group has a new id; it may be nil.
	moved  func(ctx context.Context, from, to channels.Address) error
	floods wire.Floods
}

// body is a text and how it is to be read.
type body struct {
	html string
	// plain means without markup.
	plain bool
}

// put makes b the parameter called field.
func (b body) put(params tgbotapi.Params, field string) {
	if b.plain {
		params[field] = markup.Plain(b.html)
		return
	}
	params[field], params["parse_mode"] = b.html, tgbotapi.ModeHTML
}

// post is one message and how it is sent at present.
type post struct {
	body

	to channels.Address
	// replyTo is the message that it answers, edits the one that it replaces, or "".
	replyTo, edits string
	// keyboard is reply_markup, or "".
	keyboard string
	moved    bool
}

func newPost(part *channels.Part) *post {
	return &post{to: part.Address, body: body{html: part.Text}, replyTo: part.ReplyTo, keyboard: keyboard(part.Buttons)}
}

// deliver sends p, with every remedy that helps. Each remedy is used once, because it
// removes the cause of the next refusal.
func (o *poster) deliver(ctx context.Context, p *post) (channels.Receipt, error) {
	for {
		receipt, err := o.attempt(ctx, p)
		refusal, ok := errors.AsType[*api.Error](err)
		if !ok {
			return receipt, err
		}
		if p.edits != "" && refusal.NotModified() {
			return channels.Receipt{MessageID: p.edits, Time: time.Now()}, nil
		}
		if err := o.remedy(ctx, p, refusal); err != nil {
			return channels.Receipt{}, err
		}
	}
}

// remedy changes p so that it does not meet the same refusal again, or returns the
// error if no remedy exists.
func (o *poster) remedy(ctx context.Context, p *post, refusal *api.Error) error {
	switch {
	case refusal.BadMarkup() && !p.plain:
		o.log.Warn().Str("chat", p.to.Chat).Msg("telegram could not read the markup; the text is sent plain")
		p.plain = true
	case refusal.NoReply() && p.replyTo != "":
		p.replyTo = ""
	case refusal.NoEdit() && p.edits != "":
		p.edits = ""
	case refusal.MigrateTo != 0 && !p.moved:
		return o.migrate(ctx, p, refusal.MigrateTo)
	default:
		return refusal
	}
	return nil
}

// migrate tells the gateway that a group has a new id, and goes on there. The message
// ids of the old group are meaningless in the new one.
func (o *poster) migrate(ctx context.Context, p *post, id int64) error {
	from := p.to
	p.to.Chat = strconv.FormatInt(id, 10)
	p.replyTo, p.edits, p.moved = "", "", true
	if o.moved == nil {
		return nil
	}
	if err := o.moved(ctx, from, p.to); err != nil {
		// Telegram refused the message, so it is not there.
		return &channels.SendError{Class: channels.SendTransient, Err: err}
	}
	return nil
}

// attempt is one request.
func (o *poster) attempt(ctx context.Context, p *post) (channels.Receipt, error) {
	params := tgbotapi.Params{"chat_id": p.to.Chat, "link_preview_options": noPreview}
	p.put(params, "text")
	params.AddNonEmpty("reply_markup", p.keyboard)
	if p.edits != "" {
		params["message_id"] = p.edits
		if err := o.client.Call(ctx, "editMessageText", params, nil); err != nil {
			return channels.Receipt{}, err
		}
		return channels.Receipt{MessageID: p.edits, Time: time.Now()}, nil
	}
	params.AddNonEmpty("message_thread_id", p.to.Thread)
	params.AddNonEmpty("reply_parameters", replyParameters(p.to, p.replyTo))
	var sent sentMessage
	if err := o.client.Call(ctx, "sendMessage", params, &sent); err != nil {
		return channels.Receipt{}, err
	}
	return sent.receipt(), nil
}

// replyParameters says which message is answered: in groups, where several people
// write. "" means no reply.
func replyParameters(to channels.Address, messageID string) string {
	id, err := strconv.ParseInt(messageID, 10, 64)
	if err != nil || id <= 0 || isPrivate(to) {
		return ""
	}
	text, err := json.Marshal(struct {
		MessageID int64 `json:"message_id"`
		Anyway    bool  `json:"allow_sending_without_reply"`
	}{id, true})
	if err != nil {
		return ""
	}
	return string(text)
}

// isPrivate: the ids of groups and channels are negative.
func isPrivate(a channels.Address) bool { return !strings.HasPrefix(a.Chat, "-") }

// sentMessage is the part of a sent Message that is read.
type sentMessage struct {
	ID int64 `json:"message_id"`
}

func (m sentMessage) receipt() channels.Receipt {
	return channels.Receipt{MessageID: strconv.FormatInt(m.ID, 10), Time: time.Now()}
}

// sendError gives an error of a send its class.
func (o *poster) sendError(chat string, err error) *channels.SendError {
	se := channels.ClassOf(err)
	if se == err { //nolint:errorlint // it has its class already
		return se
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		se.Class = e.Class()
	}
	if e, ok := errors.AsType[*api.Error](err); ok {
		se.Class, se.RetryAfter = e.Class(), e.RetryAfter
		se.Account = se.Class == channels.SendRateLimited && o.floods.Global(chat, e.RetryAfter)
	}
	return se
}
