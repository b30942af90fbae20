package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/rs/zerolog"
	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/markup"
	"parley/pkg/channels/wire"
)

// poster sends one message, or puts it in place of another, with every remedy that
// helps against a refusal.
type poster struct {
	client  *api.Client
	log     zerolog.Logger
	streams *streams
	floods  wire.Floods
	// blocks is off where the server knows no markdown blocks; doubtful counts the
	// refusals in a row that do not say why.
	blocks   switched
	doubtful atomic.Int32
}

// switched is a feature that works until Slack says that it does not.
type switched struct{ no atomic.Bool }

func (s *switched) on() bool { return !s.no.Load() }

// off remembers that it does not work; true the first time.
func (s *switched) off() bool { return !s.no.Swap(true) }

// spot is a message on the platform.
type spot struct{ chat, ts string }

// post is one message and how it is sent at present.
type post struct {
	to channels.Address
	// block and native are the text in both forms.
	block, native string
	buttons       []channels.Button
	// edits is the message that it replaces, or "".
	edits string
	// plain means without the markdown block, as a message with buttons always is.
	plain bool
	// stopped means that the end of a stream was asked for.
	stopped bool
	// short means that Slack kept only the beginning, and that the rest is sent behind it.
	short bool
}

func newPost(part *channels.Part) *post {
	p := textPost(part.Address, part.Text)
	p.buttons = part.Buttons
	return p
}

// textPost is a message of a text alone.
func textPost(to channels.Address, text string) *post {
	return &post{to: to, block: markup.Block(text), native: markup.Mrkdwn(text)}
}

// posted is the part of the answer to a message that is read.
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

// deliver sends p, with every remedy that helps. Each remedy is used once, because it
// removes the cause of the next refusal.
func (o *poster) deliver(ctx context.Context, p *post) (channels.Receipt, error) {
	for {
		k, err := o.attempt(ctx, p)
		if err == nil {
			return o.receipt(ctx, p, k)
		}
		refusal, ok := errors.AsType[*api.Error](err)
		if !ok {
			return channels.Receipt{}, err
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
	case refusal.BadBlocks() && !p.plain:
		o.withoutBlocks(p, refusal)
	case refusal.NoThread() && p.edits == "" && p.to.Thread != "":
		o.log.Warn().Str("chat", p.to.Chat).Str("error", refusal.Name).Msg("the thread cannot be written in; the message goes to the channel")
		p.to.Thread = ""
	case p.edits != "":
		return o.otherwise(ctx, p, refusal)
	default:
		return refusal
	}
	return nil
}

// otherwise is remedy for an edit.
func (o *poster) otherwise(ctx context.Context, p *post, refusal *api.Error) error {
	switch {
	case refusal.Has("edit_window_closed"), refusal.NoRoom():
		return o.anew(ctx, p) // it is there, and shows half an answer
	case refusal.NoEdit():
		p.edits = ""
		return nil
	case refusal.Streaming() && !p.stopped:
		return o.streams.stop(ctx, p)
	case refusal.Streaming():
		return o.anew(ctx, p) // it does not go on or end
	default:
		return refusal
	}
}

// anew lets the message that p edits give way to a new one.
func (o *poster) anew(ctx context.Context, p *post) error {
	err := o.giveWay(ctx, p.to, p.edits)
	if err == nil {
		p.edits = ""
	}
	return err
}

// attempt is one request.
func (o *poster) attempt(ctx context.Context, p *post) (posted, error) {
	p.plain = p.plain || len(p.buttons) > 0 || !o.blocks.on()
	blocks := p.layout()
	options := []slack.MsgOption{slack.MsgOptionText(p.native, false), slack.MsgOptionParse(false), slack.MsgOptionLinkNames(false)}
	if len(blocks) > 0 || p.edits != "" {
		options = append(options, slack.MsgOptionBlocks(blocks...)) // an empty list removes the present ones
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
	err := o.client.Read(ctx, method, &k, func(ctx context.Context, web *slack.Client) error {
		_, _, _, err := web.SendMessageContext(ctx, p.to.Chat, options...)
		return err
	})
	if err == nil && !p.plain {
		o.doubtful.Store(0)
	}
	return k, err
}
