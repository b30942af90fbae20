package telegram

import (
	"context"
	"errors"
	"io"
	"io/fs"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// maxFile is the largest file that Telegram gives to bots.
const maxFile = 20 << 20

var (
	_ channels.AttachmentOpener = (*Channel)(nil)

	errNoPath = errors.New("the server gave no path")
)

// OpenAttachment implements [channels.AttachmentOpener]. What Telegram says of a
// file's size counts for nothing: more than 20 MB is never read.
func (c *Channel) OpenAttachment(ctx context.Context, a channels.Attachment) (io.ReadCloser, error) {
	if a.Size > maxFile {
		return nil, channels.ErrTooLarge
	}
	var found struct {
		Path string `json:"file_path"`
		Size int64  `json:"file_size"`
	}
	if err := c.client.call(ctx, "getFile", tgbotapi.Params{"file_id": a.Ref}, &found); err != nil {
		if ae, ok := errors.AsType[*apiError](err); ok && ae.says("file is too big") {
			return nil, channels.ErrTooLarge
		}
		return nil, err
	}
	if !fs.ValidPath(found.Path) || found.Path == "." {
		return nil, errNoPath
	}
	if found.Size > maxFile {
		return nil, channels.ErrTooLarge
	}
	body, err := c.client.download(ctx, found.Path)
	if err != nil {
		return nil, err
	}
	return wire.Whole(wire.NewBounded(body, maxFile, c.client.scrub), found.Size), nil
}
