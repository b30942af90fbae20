package telegram

import "parley/pkg/channels/wire"

// DialWith makes the channel of o reach its server over dial.
func DialWith(o *Options, dial wire.Dial) { o.dial = dial }

// CloseIdle lets the connections go, of a channel that was never run.
func (c *Channel) CloseIdle() { c.client.Close() }
