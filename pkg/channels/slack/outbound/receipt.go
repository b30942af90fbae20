package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/slack/markup"
	"parley/pkg/channels/wire"
)

// receipt is that of p, of which k was kept, once all of it is there.
func (o *poster) receipt(ctx context.Context, p *post, k posted) (channels.Receipt, error) {
	r := channels.Receipt{MessageID: k.TS, Time: time.Now()}
	if p.edits != "" {
		r.MessageID = p.edits
	}
	if p.edits == "" && p.to.Thread != "" && k.Message.Thread == "" && k.Message.Text != "" {
		o.log.Warn().Str("chat", p.to.Chat).Msg("the thread is gone; slack posted the reply into the channel")
	}
	rest := p.rest(k)
	if rest == nil {
		return r, nil
	}
	o.log.Warn().Str("chat", p.to.Chat).Msg("slack kept only the beginning of a message; the rest is sent behind it")
	p.short = true
	return r, o.behind(ctx, rest)
}

// rest is the part of p that Slack did not keep, or nil. Only a text that is the
// beginning of the sent one tells that the end is missing: Slack writes some characters
// differently.
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

// behindPatience is how long a message waits for its turn below another.
const behindPatience = 10 * time.Second

// behind sends the messages that belong below one that is there already. Whatever goes
// wrong, a part of the whole is there: it is ambiguous.
func (o *poster) behind(ctx context.Context, p *post) error {
	for {
		_, err := o.deliver(ctx, p)
		if err == nil {
			return nil
		}
		se := *o.sendError(p.to.Chat, err)
		if se.Class == channels.SendRateLimited && se.RetryAfter > 0 && se.RetryAfter <= behindPatience && backoff.Sleep(ctx, se.RetryAfter) {
			continue
		}
		se.Class, se.RetryAfter, se.Account = channels.SendAmbiguous, 0, false
		return &se
	}
}

// sendError gives an error of a send its class. Slack limits each method by itself: a
// limit on growing answers, say, holds no other chat's messages.
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
		se.Account = se.Class == channels.SendRateLimited && e.Method == "chat.postMessage" && o.floods.Global(chat, e.RetryAfter)
	}
	return se
}

// giveWay deletes the message that showed the answer so far: a text cannot become a
// file, and the next message belongs below the file. A second deletion has no effect.
func (o *poster) giveWay(ctx context.Context, to channels.Address, ts string) error {
	err := o.client.Call(ctx, "chat.delete", func(ctx context.Context, web *slack.Client) error {
		_, _, err := web.DeleteMessageContext(ctx, to.Chat, ts)
		return err
	})
	if refusal, ok := errors.AsType[*api.Error](err); ok && refusal.Class() == channels.SendRefused {
		return nil // gone already, or not to be deleted: the file leaves all the same
	}
	if err == nil {
		o.streams.drop(spot{to.Chat, ts})
	}
	return err
}
