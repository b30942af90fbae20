package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/markup"
	"parley/pkg/channels/wire"
)

var (
	_ channels.Channel    = (*Channel)(nil)
	_ channels.Splitter   = (*Channel)(nil)
	_ channels.Drafter    = (*Channel)(nil)
	_ channels.Editor     = (*Channel)(nil)
	_ channels.FileSender = (*Channel)(nil)
	_ channels.Typer      = (*Channel)(nil)
	_ channels.Buttoner   = (*Channel)(nil)
)

// noPreview is the link_preview_options of every message: what a model links to
// is not fetched by Telegram in its name.
const noPreview = `{"is_disabled":true}`

// out is what the way out remembers; the zero value is ready. All of it is gone
// by nature: a restart begins without.
type out struct {
	floods wire.Floods
	paces  wire.Paces[pace]
	// doubts say until when an edit of a preview that got no answer may yet take effect.
	doubts wire.Paces[pace]
	// undraftable: the server does not know drafts.
	undraftable atomic.Bool
}

// Send implements [channels.Channel]. The text of a part is one of those that
// Split returned: Telegram's HTML, which is also what the outbox stores of a
// message that has several parts.
//
// What Telegram refuses for a reason that can be met is sent again within the
// same call, differently: as plain text when the HTML cannot be read, without the
// reply when that message is gone, to the new id of a group that migrated.
func (c *Channel) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	if part.Edits != "" {
		return c.edit(ctx, part, part.Edits)
	}
	receipt, err := c.deliver(wire.Watched(ctx), newPost(&part))
	if err != nil {
		return channels.Receipt{}, c.sendError(part.Address.Chat, err)
	}
	if part.Preview {
		c.out.paces.Hold(pace{to: part.Address, message: receipt.MessageID}, editEvery)
	}
	return receipt, nil
}

// edit is Send for a part that takes the place of what a message of the bot
// shows: the preview that was opened for it, or a question that is answered.
// Telegram takes the buttons of a message away that is edited to have none. Where
// that message is gone, the part is sent as a new one. An edit that got no answer is simply made again, because
// a second one changes nothing. It is made once more before there is a receipt
// where an earlier edit of the preview may come behind it.
func (c *Channel) edit(ctx context.Context, part channels.Part, messageID string) (channels.Receipt, error) {
	p := newPost(&part)
	p.edits = messageID
	receipt, err := c.deliver(wire.Watched(ctx), p)
	if err == nil && p.edits != "" {
		err = c.outlast(ctx, p)
	}
	if err == nil {
		return receipt, nil
	}
	se := c.sendError(part.Address.Chat, err)
	if p.edits != "" && se.Class == channels.SendAmbiguous {
		se.Class = channels.SendTransient
	}
	return channels.Receipt{}, se
}

// outlast makes an edit that was accepted once more when nothing that is in doubt
// can come behind it any longer, if anything is.
func (c *Channel) outlast(ctx context.Context, p *post) error {
	wait := c.out.doubts.Left(pace{to: p.to, message: p.edits})
	if wait <= 0 {
		return nil
	}
	if !wire.Sleep(ctx, wait) {
		return ctx.Err()
	}
	_, err := c.attempt(ctx, p)
	if refusal, ok := errors.AsType[*apiError](err); ok && refusal.Code == http.StatusBadRequest {
		return nil // it is not modified, or whoever deleted it wants it gone
	}
	return err
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
	// replyTo is the message that it answers, edits the one that it replaces; "" for none.
	replyTo, edits string
	// keyboard is reply_markup; "" for none.
	keyboard string
	moved    bool
}

func newPost(part *channels.Part) *post {
	return &post{to: part.Address, body: body{html: part.Text}, replyTo: part.ReplyTo, keyboard: keyboard(part.Buttons)}
}

// deliver sends p, with every remedy that helps. Each remedy is used once, because
// it takes away what the next refusal could be about.
func (c *Channel) deliver(ctx context.Context, p *post) (channels.Receipt, error) {
	for {
		receipt, err := c.attempt(ctx, p)
		refusal, ok := errors.AsType[*apiError](err)
		if !ok {
			return receipt, err
		}
		if p.edits != "" && refusal.notModified() {
			return channels.Receipt{MessageID: p.edits, Time: time.Now()}, nil
		}
		if err := c.remedy(ctx, p, refusal); err != nil {
			return channels.Receipt{}, err
		}
	}
}

// remedy changes p so that it does not meet the same refusal again, or returns
// what there is no remedy for.
func (c *Channel) remedy(ctx context.Context, p *post, refusal *apiError) error {
	switch {
	case refusal.badMarkup() && !p.plain:
		c.log.Warn().Str("chat", p.to.Chat).Msg("telegram could not read the markup; the text is sent plain")
		p.plain = true
	case refusal.noReply() && p.replyTo != "":
		p.replyTo = ""
	case refusal.noEdit() && p.edits != "":
		p.edits = ""
	case refusal.MigrateTo != 0 && !p.moved:
		return c.migrate(ctx, p, refusal.MigrateTo)
	default:
		return refusal
	}
	return nil
}

// migrate tells the gateway that a group has a new id, and goes on there. The
// message ids of the old group mean nothing in the new one.
func (c *Channel) migrate(ctx context.Context, p *post, id int64) error {
	from := p.to
	p.to.Chat = strconv.FormatInt(id, 10)
	p.replyTo, p.edits, p.moved = "", "", true
	if c.opt.Moved == nil {
		return nil
	}
	if err := c.opt.Moved(ctx, from, p.to); err != nil {
		// Telegram refused what was sent, so nothing is there.
		return &channels.SendError{Class: channels.SendTransient, Err: err}
	}
	return nil
}

// attempt is one request.
func (c *Channel) attempt(ctx context.Context, p *post) (channels.Receipt, error) {
	params := tgbotapi.Params{"chat_id": p.to.Chat, "link_preview_options": noPreview}
	p.put(params, "text")
	params.AddNonEmpty("reply_markup", p.keyboard)
	if p.edits != "" {
		params["message_id"] = p.edits
		if err := c.client.call(ctx, "editMessageText", params, nil); err != nil {
			return channels.Receipt{}, err
		}
		return channels.Receipt{MessageID: p.edits, Time: time.Now()}, nil
	}
	params.AddNonEmpty("message_thread_id", p.to.Thread)
	params.AddNonEmpty("reply_parameters", replyParameters(p.to, p.replyTo))
	var sent sentMessage
	if err := c.client.call(ctx, "sendMessage", params, &sent); err != nil {
		return channels.Receipt{}, err
	}
	return sent.receipt(), nil
}

// replyParameters says which message is answered: in groups, where several people
// write. "" means none.
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

// sentMessage is what is read of a Message that was sent.
type sentMessage struct {
	ID int64 `json:"message_id"`
}

func (m sentMessage) receipt() channels.Receipt {
	return channels.Receipt{MessageID: strconv.FormatInt(m.ID, 10), Time: time.Now()}
}

// sendError gives an error of a send its class.
func (c *Channel) sendError(chat string, err error) *channels.SendError {
	se := channels.ClassOf(err)
	if e, ok := errors.AsType[*wire.Error](err); ok {
		se.Class = classOf(e)
	}
	if e, ok := errors.AsType[*apiError](err); ok {
		se.Class, se.RetryAfter = e.class(), e.RetryAfter
		se.Account = se.Class == channels.SendRateLimited && c.out.floods.Global(chat, e.RetryAfter)
	}
	return se
}
