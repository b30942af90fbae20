package web

import (
	"context"
	"errors"
	"io"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/channels/wire"
	"parley/pkg/shelf"
)

var (
	_ channels.FileSender       = (*Channel)(nil)
	_ channels.AttachmentOpener = (*Channel)(nil)
)

// OpenAttachment implements [channels.AttachmentOpener].
func (c *Channel) OpenAttachment(_ context.Context, a channels.Attachment) (io.ReadCloser, error) {
	return c.o.Files.OpenRef(a.Ref)
}

// SendFile implements [channels.FileSender]: the file is kept with its chat before it is shown.
func (c *Channel) SendFile(ctx context.Context, part channels.FilePart) (channels.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendTransient, Err: err}
	}
	content, size, err := wire.OpenFile(part.Open, shelf.MaxSent, "a chat of the web takes")
	if err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.SendRefused, Err: err}
	}
	defer func() { _ = content.Close() }() // it was read
	kept, err := c.o.Files.Keep(ctx, part.Address.Chat, part.ID, part.File.Name, size, content)
	if err != nil {
		class := channels.SendTransient
		if _, full := errors.AsType[*shelf.FullError](err); full {
			class = channels.SendRefused
		}
		return channels.Receipt{}, &channels.SendError{Class: class, Err: err}
	}
	file := *part.File
	file.Kept = &kept
	part.File = &file
	c.o.Show(ctx, part.Part)
	failpoint.Hit("P10")
	return channels.Receipt{MessageID: part.ID, Time: time.Now()}, nil
}
