package main

import (
	"cmp"
	"context"
	"fmt"

	"parley/pkg/channels"
	gatewayfiles "parley/pkg/gateway/files"
	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// fileSender lets the tool send_file send through the agent.
type fileSender struct{ a *App }

var _ files.Sender = fileSender{}

// Terms implements [files.Sender].
func (c fileSender) Terms(ctx context.Context) files.Terms {
	inv := tools.InvocationFrom(ctx)
	ch := c.a.at(channels.Address{Channel: inv.Channel, Account: inv.Account})
	if _, ok := ch.(channels.FileSender); !ok {
		return files.Terms{MaxFile: gatewayfiles.MaxUploads}
	}
	l := ch.Limits()
	return files.Terms{Files: true, MaxFile: cmp.Or(l.MaxFile, gatewayfiles.MaxUploads), MaxPhoto: l.MaxPhoto}
}

// SendFile implements [files.Sender].
func (c fileSender) SendFile(ctx context.Context, p files.Parcel) error {
	return c.a.agent.QueueFile(ctx, p.Caption, func(outboundID string) (channels.File, error) {
		n, err := c.a.uploads.Keep(outboundID, p.Content, p.Size)
		if err != nil {
			return channels.File{}, fmt.Errorf("keep a file to send: %w", err)
		}
		return channels.File{Name: p.Name, Path: p.Path, Size: n, Photo: p.Photo}, nil
	})
}
