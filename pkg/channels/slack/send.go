package slack

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/markup"
	"parley/pkg/channels/wire"
)

var (
	_ channels.Channel    = (*Channel)(nil)
	_ channels.Splitter   = (*Channel)(nil)
	_ channels.Editor     = (*Channel)(nil)
	_ channels.FileSender = (*Channel)(nil)
	_ channels.Typer      = (*Channel)(nil)
	_ channels.Commander  = (*Channel)(nil)
	_ channels.Buttoner   = (*Channel)(nil)
)

// out is what the way out remembers; the zero value is ready. All of it is gone
// by nature: a restart begins without.
type out struct {
	floods wire.Floods
	paces  wire.Paces[spot]
	// doubts say until when an edit of a preview that got no answer may yet take effect.
	doubts wire.Paces[spot]
	// streams are the messages that are being streamed.
	streams      recent[spot, stream]
	unstreamable unstreamable
	// places are who wrote last where, and what shows that it is worked on.
	places    recent[channels.Address, place]
	statuses  switched
	reactions switched
	marks     marks
	// blocks is off where the server knows no markdown blocks; doubtful counts the
	// refusals in a row that do not say why.
	blocks   switched
	doubtful atomic.Int32
}

// switched is something that works until it is known not to.
type switched struct{ no atomic.Bool }

func (s *switched) on() bool { return !s.no.Load() }

// off remembers that it does not work; true the first time.
func (s *switched) off() bool { return !s.no.Swap(true) }

// spot is a message on the platform.
type spot struct{ chat, ts string }

// Split implements [channels.Splitter]: the parts are Markdown, cut between blocks
// where it can be, each complete by itself.
func (c *Channel) Split(text string) []string { return markup.Split(text) }

// Send implements [channels.Channel]. The text of a part is one of those that Split
// returned: Markdown, whose two forms for Slack fit into a message.
//
// What Slack refuses for a reason that can be met is sent again within the same
// call, differently: as text in Slack's own markup where it does not take blocks,
// into the channel where the thread cannot be written in.
//
// Where Slack posts a reply into the channel because the message that the thread is
// about was deleted, it stays there: whoever asked reads it, and nothing is posted
// twice. Where it keeps less of a text than it was given, the rest is sent behind it
// in the same call. The receipt is then that of the first message, and an error of
// the rest is ambiguous, because the first one is there.
func (c *Channel) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	receipt, err := c.send(wire.Watched(ctx), &part)
	if err == nil && !part.Preview {
		c.answered(ctx, part.Address)
	}
	return receipt, err
}

func (c *Channel) send(ctx context.Context, part *channels.Part) (channels.Receipt, error) {
	p := newPost(part)
	switch {
	case part.Edits != "":
		p.edits = part.Edits
		return c.edit(ctx, p)
	case part.Preview:
		return c.open(ctx, p)
	}
	receipt, err := c.deliver(ctx, p)
	if err != nil {
		return channels.Receipt{}, c.sendError(part.Address.Chat, err)
	}
	return receipt, nil
}

// edit is Send for a part that takes the place of what a message of the bot shows:
// the preview that was opened for it, or a question that is answered. Its blocks are
// replaced, buttons and all. Where that message is gone, or may not be changed any
// more, the part is sent as a new one. An edit that got no answer is simply made
// again, because a second one changes nothing; not so what was sent behind it. It is made once more before there is
// a receipt where an earlier edit of the preview may come behind it.
func (c *Channel) edit(ctx context.Context, p *post) (channels.Receipt, error) {
	at := spot{p.to.Chat, p.edits}
	receipt, done, err := c.endStream(ctx, at, p)
	if !done && err == nil {
		receipt, err = c.deliver(ctx, p)
		if err == nil && p.edits != "" {
			err = c.outlast(ctx, p)
		}
	}
	if err == nil {
		c.out.streams.drop(at)
		return receipt, nil
	}
	se := c.sendError(p.to.Chat, err)
	c.spareEdits(se)
	if p.edits != "" && !p.short && se.Class == channels.SendAmbiguous {
		se.Class = channels.SendTransient
	}
	return channels.Receipt{}, se
}

// outlast makes an edit that was accepted once more when nothing that is in doubt
// can come behind it any longer, if anything is.
func (c *Channel) outlast(ctx context.Context, p *post) error {
	wait := c.out.doubts.Left(spot{p.to.Chat, p.edits})
	if wait <= 0 {
		return nil
	}
	if !wire.Sleep(ctx, wait) {
		return ctx.Err()
	}
	_, err := c.attempt(ctx, p)
	if refusal, ok := errors.AsType[*apiError](err); ok && refusal.noEdit() {
		return nil // whoever deleted it wants it gone
	}
	return err
}

// post is one message and how it is sent at present.
type post struct {
	to channels.Address
	// block and native are the text in both forms.
	block, native string
	buttons       []channels.Button
	// edits is the message that it replaces; "" for none.
	edits string
	// plain means without the markdown block, as a message with buttons always is.
	plain bool
	// stopped means that the end of a stream was asked for.
	stopped bool
	// short means that Slack kept only the beginning, and that the rest is sent behind it.
	short bool
}

func newPost(part *channels.Part) *post {
	return &post{to: part.Address, block: markup.Block(part.Text), native: markup.Mrkdwn(part.Text), buttons: part.Buttons}
}

// posted is what is read of the answer to a message.
type posted struct {
	TS      string `json:"ts"`
	Message struct {
		Text   string `json:"text"`
		Thread string `json:"thread_ts"`
		Blocks []struct {
			Type string          `json:"type"`
			Text json.RawMessage `json:"text"`
		} `json:"blocks"`
	} `json:"message"`
}

// deliver sends p, with every remedy that helps. Each remedy is used once, because
// it takes away what the next refusal could be about.
func (c *Channel) deliver(ctx context.Context, p *post) (channels.Receipt, error) {
	for {
		k, err := c.attempt(ctx, p)
		if err == nil {
			return c.receipt(ctx, p, k)
		}
		refusal, ok := errors.AsType[*apiError](err)
		if !ok {
			return channels.Receipt{}, err
		}
		if err := c.remedy(ctx, p, refusal); err != nil {
			return channels.Receipt{}, err
		}
	}
}

// remedy changes p so that it does not meet the same refusal again, or returns what
// there is no remedy for.
func (c *Channel) remedy(ctx context.Context, p *post, refusal *apiError) error {
	switch {
	case refusal.badBlocks() && !p.plain:
		c.withoutBlocks(p, refusal)
	case refusal.noThread() && p.edits == "" && p.to.Thread != "":
		c.log.Warn().Str("chat", p.to.Chat).Str("error", refusal.Name).Msg("the thread cannot be written in; the message goes to the channel")
		p.to.Thread = ""
	case p.edits != "":
		return c.otherwise(ctx, p, refusal)
	default:
		return refusal
	}
	return nil
}

// otherwise is remedy for an edit.
func (c *Channel) otherwise(ctx context.Context, p *post, refusal *apiError) error {
	switch {
	case refusal.is("edit_window_closed"), refusal.noRoom():
		return c.anew(ctx, p) // it is there, and shows half an answer
	case refusal.noEdit():
		p.edits = ""
		return nil
	case refusal.streaming() && !p.stopped:
		return c.stop(ctx, p)
	case refusal.streaming():
		return c.anew(ctx, p) // it neither goes on nor ends
	default:
		return refusal
	}
}

// anew lets the message that p edits give way to a new one.
func (c *Channel) anew(ctx context.Context, p *post) error {
	err := c.giveWay(ctx, p.to, p.edits)
	if err == nil {
		p.edits = ""
	}
	return err
}

// attempt is one request.
func (c *Channel) attempt(ctx context.Context, p *post) (posted, error) {
	p.plain = p.plain || len(p.buttons) > 0 || !c.out.blocks.on()
	blocks := p.layout()
	options := []slack.MsgOption{slack.MsgOptionText(p.native, false), slack.MsgOptionParse(false), slack.MsgOptionLinkNames(false)}
	if len(blocks) > 0 || p.edits != "" {
		options = append(options, slack.MsgOptionBlocks(blocks...)) // none takes those away that were there
	}
	method := "chat.postMessage"
	if p.edits != "" {
		method = "chat.update"
		options = append(options, slack.MsgOptionUpdate(p.edits))
	} else {
		options = append(options, slack.MsgOptionPost(), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
		if p.to.Thread != "" {
			options = append(options, slack.MsgOptionTS(p.to.Thread))
		}
	}
	var k posted
	err := c.client.read(ctx, method, &k, func(ctx context.Context, api *slack.Client) error {
		_, _, _, err := api.SendMessageContext(ctx, p.to.Chat, options...)
		return err
	})
	if err == nil && !p.plain {
		c.out.doubtful.Store(0)
	}
	return k, err
}

// receipt is that of p, of which k was kept, once all of it is there.
func (c *Channel) receipt(ctx context.Context, p *post, k posted) (channels.Receipt, error) {
	r := channels.Receipt{MessageID: k.TS, Time: time.Now()}
	if p.edits != "" {
		r.MessageID = p.edits
	}
	if p.edits == "" && p.to.Thread != "" && k.Message.Thread == "" && k.Message.Text != "" {
		c.log.Warn().Str("chat", p.to.Chat).Msg("the thread is gone; slack posted the reply into the channel")
	}
	rest := p.rest(k)
	if rest == nil {
		return r, nil
	}
	c.log.Warn().Str("chat", p.to.Chat).Msg("slack kept only the beginning of a message; the rest is sent behind it")
	p.short = true
	return r, c.behind(ctx, rest)
}

// rest is what Slack did not keep of p, nil where that is nothing. Only a text that
// is the beginning of what was sent tells that the end is missing: Slack writes some
// of what it takes differently.
func (p *post) rest(k posted) *post {
	sent, got := p.native, k.Message.Text
	if !p.plain {
		sent, got = p.block, ""
		for _, b := range k.Message.Blocks {
			if b.Type == string(slack.MBTMarkdown) && json.Unmarshal(b.Text, &got) != nil {
				got = ""
			}
		}
	}
	end, cut := strings.CutPrefix(sent, got)
	if got == "" || !cut || strings.TrimSpace(end) == "" || p.plain && len(p.buttons) > 0 {
		return nil
	}
	rest := &post{to: p.to, native: end, plain: true}
	if !p.plain {
		rest.block, rest.native, rest.plain = end, markup.Mrkdwn(end), false
	}
	return rest
}

// behindPatience is how long what belongs below a message waits for its turn.
const behindPatience = 10 * time.Second

// behind sends what belongs below a message that is there already. Whatever goes
// wrong, a part of the whole is there: it is ambiguous.
func (c *Channel) behind(ctx context.Context, p *post) error {
	for {
		_, err := c.deliver(ctx, p)
		if err == nil {
			return nil
		}
		se := *c.sendError(p.to.Chat, err)
		if se.Class == channels.SendRateLimited && se.RetryAfter > 0 && se.RetryAfter <= behindPatience && wire.Sleep(ctx, se.RetryAfter) {
			continue
		}
		se.Class, se.RetryAfter, se.Account = channels.SendAmbiguous, 0, false
		return &se
	}
}

// sendError gives an error of a send its class. Slack limits each method by itself:
// what it says of growing answers, say, holds no other chat's messages.
func (c *Channel) sendError(chat string, err error) *channels.SendError {
	se := channels.ClassOf(err)
	if se == err { //nolint:errorlint // it has its class already
		return se
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		se.Class = classOf(e)
	}
	if e, ok := errors.AsType[*apiError](err); ok {
		se.Class, se.RetryAfter = e.class(), e.RetryAfter
		se.Account = se.Class == channels.SendRateLimited && e.Method == "chat.postMessage" && c.out.floods.Global(chat, e.RetryAfter)
	}
	return se
}
