package telegram

import (
	"context"
	"net"

	"parley/pkg/channels"
)

// Decoded is what one update gives, for tests.
type Decoded struct {
	ID                    int64
	Item                  *channels.Inbound
	From, To              int64
	Group, Callback       string
	Member, Skipped       string
	Unread                string
	NeedsName, Unreadable bool
}

// Decode reads one update as the bot id, called name; "" for a name that is not known.
func Decode(raw []byte, id int64, name string) Decoded {
	ev := decodeUpdate(raw, self{id: id, name: name})
	d := Decoded{
		ID: ev.id, Group: ev.group, Callback: ev.callback, Member: ev.member,
		Skipped: ev.skipped, NeedsName: ev.needsName, Unreadable: ev.unreadable, Unread: ev.unread,
	}
	if ev.moved != nil {
		d.From, d.To = ev.moved.from, ev.moved.to
	}
	if ev.item != nil {
		in := ev.inbound()
		in.Address = ev.address
		d.Item = &in
	}
	return d
}

// DialWith makes c reach its server over dial.
func DialWith(c *Channel, dial func(context.Context, string, string) (net.Conn, error)) {
	c.client.connect(nil, dial)
}

// EditPart is edit.
func (c *Channel) EditPart(ctx context.Context, part channels.Part, messageID string) (channels.Receipt, error) {
	return c.edit(ctx, part, messageID)
}

// Previewing is how many paces are remembered.
func (c *Channel) Previewing() int { return c.out.paces.Len() }

// Preview is what Draft does before anything is sent.
func (c *Channel) Preview(to channels.Address) { c.out.paces.Hold(pace{to: to}, draftEvery) }

// CloseIdle lets the connections go, of a channel that was never run.
func (c *Channel) CloseIdle() { c.client.close() }
