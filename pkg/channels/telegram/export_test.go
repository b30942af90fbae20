package telegram

import "parley/pkg/channels/wire"

// DialWith makes the channel of o reach its server over dial.
func DialWith(o *Options, dial wire.Dial) { o.dial = dial }

// CloseIdle closes the connections of a channel that was not run.
func (c *Channel) CloseIdle() { c.client.Close() }
