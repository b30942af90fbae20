package slack

import (
	"context"
	"io"

	"parley/pkg/channels/wire"
)

// DialWith makes the channel of o reach its server over dial.
func DialWith(o *Options, dial wire.Dial) { o.dial = dial }

// Known is how many names are remembered.
func (c *Channel) Known() int { return c.names.Len() }

// CloseIdle closes the connections of a channel that was not run.
func (c *Channel) CloseIdle() { c.client.Close() }

// CloseOut waits for the calls beside the sends, and lets the connections go.
func (c *Channel) CloseOut() {
	c.Close(context.Background())
	c.client.Close()
}

// Download is the client's download, of a file's content.
func (c *Channel) Download(ctx context.Context, address string) (string, error) {
	body, err := c.client.Download(ctx, address, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }()
	content, err := io.ReadAll(body)
	return string(content), err
}
