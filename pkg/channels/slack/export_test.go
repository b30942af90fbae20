package slack

import (
	"context"
	"encoding/json"
	"net"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// Decoded is what one envelope gives, for tests.
type Decoded struct {
	Hello                        bool
	Disconnect, Envelope, Answer string
	Items                        []channels.Inbound
	Asks                         bool
	Skipped, Unread              string
	Raw                          json.RawMessage
}

// Decode reads a frame as the bot that me names.
func Decode(raw []byte, me Identity, commands ...Command) Decoded {
	return decoded(decoder{me: me, commands: commands, name: nameless}.frame(frame{data: raw}))
}

// DecodePayload reads what an envelope of a type holds.
func DecodePayload(envelopeType string, raw []byte, me Identity) Decoded {
	return decoded(decoder{me: me, name: nameless}.payload(envelopeType, raw))
}

func nameless(string) string { return "" }

func decoded(ev *event) Decoded {
	return Decoded{
		Hello: ev.hello, Disconnect: ev.disconnect, Envelope: ev.envelope, Answer: string(ev.answer),
		Items: ev.items, Asks: ev.asks, Skipped: ev.skipped, Unread: ev.unread, Raw: ev.raw,
	}
}

// DialWith makes c reach its server over dial.
func DialWith(c *Channel, dial func(context.Context, string, string) (net.Conn, error)) {
	c.client.http = wire.NewHTTP(nil, dial, maxConns)
	c.dial.dial = dial
}

// Known is how many names are remembered.
func (c *Channel) Known() int {
	c.names.mu.Lock()
	defer c.names.mu.Unlock()
	return len(c.names.all)
}

// CloseIdle lets the connections go, of a channel that was never run.
func (c *Channel) CloseIdle() { c.client.close() }
