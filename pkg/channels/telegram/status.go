package telegram

import (
	"context"

	"parley/pkg/channels"
)

// Status implements [channels.StatusShower]. The note stands below what the chat
// already sees of the answer; in a private chat it may stand alone, as a draft;
// elsewhere the chat only sees that the bot is typing.
func (c *Channel) Status(ctx context.Context, to channels.Address, note string) error {
	if p, ok := c.out.previews.at(to); ok {
		c.out.previews.set(to, p)
		return c.show(ctx, to, p, note)
	}
	if !c.draftable(to) {
		return c.Typing(ctx, to)
	}
	return c.show(ctx, to, preview{draft: draftNumber("status")}, note)
}
