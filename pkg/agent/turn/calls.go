package turn

import (
	"context"

	"parley/pkg/agent/zone"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// Calls are the tools' view of the turn that their call belongs to. A call finds its
// turn by its context; outside of a running turn each method returns an error.
type Calls struct {
	Running *Running
	Zones   *zone.Zones
}

// QueueMessage takes a message that a tool sends to its own chat. It leaves
// when the call has ended, in one transaction with the call's result.
func (c Calls) QueueMessage(ctx context.Context, channel, chatID, said string) error {
	t, key, err := c.Running.Of(ctx)
	if err != nil {
		return err
	}
	if t.Input.Mute != nil {
		return t.Input.Mute
	}
	if channel != t.Info.Address.Channel || chatID != t.Info.Address.Chat {
		return tools.Fail(tools.ErrPermissionDenied, "a message can be sent to its own chat only", nil)
	}
	if !t.outgoing.add(key, said) {
		return tools.Fail(tools.ErrExecutionFailed, "too many messages from one call", nil)
	}
	return nil
}

// QueueFile takes the one file that a call sends to its own chat, with Markdown as its
// caption. It calls keep with the id that the message will have, to put the content
// where it stays until the message has left; the content of a file that is not taken is
// an orphan, and found at the next start. The message leaves when the call has ended,
// in one transaction with the call's result.
func (c Calls) QueueFile(ctx context.Context, caption string, keep func(outboundID string) (channels.File, error)) error {
	t, key, err := c.Running.Of(ctx)
	if err != nil {
		return err
	}
	if t.Input.Mute != nil {
		return t.Input.Mute
	}
	file, err := keep(session.CallFileID(t.Info.ID, key))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // the call has its result already
	}
	t.outgoing.addFile(key, caption, &file)
	return nil
}

// ShowsOutside notes that the running call shows the model content from outside.
func (c Calls) ShowsOutside(ctx context.Context) {
	if t, _, err := c.Running.Of(ctx); err == nil {
		t.Provenance.Brings(tools.InvocationFrom(ctx).CallID)
	}
}

// ChatZone is the time zone that is kept for the chat of the running call, or "".
func (c Calls) ChatZone(ctx context.Context) (string, error) {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return "", err
	}
	return c.Zones.Chosen(ctx, t.Info.Chat)
}

// KeepZone keeps a time zone, an IANA name, for the chat of the running call.
func (c Calls) KeepZone(ctx context.Context, name string) error {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return err
	}
	return c.Zones.Choose(ctx, t.Info.Chat, name)
}

// UsualZone is the time zone of the running call's chat before it sets one, "" when it
// is not known.
func (c Calls) UsualZone(ctx context.Context) string {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return ""
	}
	return c.Zones.Usual(t.Info.Address)
}
