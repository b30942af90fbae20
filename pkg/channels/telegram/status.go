package telegram

import (
	"context"

	"parley/pkg/channels"
)

// Status implements [channels.StatusShower]. The note stands below what the chat
// already sees of the answer; in a private chat it may stand alone, as a draft;
// elsewhere the chat only sees that the bot is typing.
func (c *Channel) Status(ctx context.Context, to channels.Address, note string) error {
	p, ok := c.out.previews.at(to)
	switch {
	case ok:
		c.out.previews.set(to, p)
	case c.draftable(to):
		p = preview{draft: draftNumber("status")}
	default:
		return c.Typing(ctx, to)
	}
	if err := c.out.paces.wait(ctx, to, p); err != nil {
		return err
	}
	return c.show(ctx, to, p, note)
}
