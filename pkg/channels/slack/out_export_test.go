package slack

import (
	"context"
	"io"
	"strings"

	"parley/pkg/channels"
)

// Heard is heard.
func (c *Channel) Heard(at channels.Address, ts, user string) { c.out.heard(at, ts, user) }

// Remembered is how many addresses the way out remembers.
func (c *Channel) Remembered() int {
	c.out.places.mu.Lock()
	defer c.out.places.mu.Unlock()
	return c.out.places.order.Len()
}

// CloseOut waits for what is done beside the sends, and lets the connections go.
func (c *Channel) CloseOut() {
	c.closeOut(context.Background())
	c.client.close()
}

// Download is download, of what a file holds.
func (c *Channel) Download(ctx context.Context, address string) (string, error) {
	body, err := c.client.download(ctx, address, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }()
	content, err := io.ReadAll(body)
	return string(content), err
}

// Upload is upload.
func (c *Channel) Upload(ctx context.Context, address, content string) error {
	return c.client.upload(ctx, address, strings.NewReader(content), int64(len(content)))
}

// Steady is steady.
func Steady(block string) string { return steady(block) }

// Sections is sections.
func Sections(text string) []string { return sections(text) }

// Base is the address of the server.
func (c *Channel) Base() string { return c.client.base.Scheme + "://" + c.client.base.Host }
