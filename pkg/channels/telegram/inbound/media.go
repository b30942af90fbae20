package inbound

import (
	"context"
	"errors"
	"io"
	"io/fs"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/wire"
)

// maxFile is the largest file that Telegram gives to bots.
const maxFile = 20 << 20

var errNoPath = errors.New("the server gave no path")

// Files opens the files that people send.
type Files struct{ client *api.Client }

// NewFiles makes the Files of a bot.
func NewFiles(client *api.Client) *Files { return &Files{client: client} }

// OpenAttachment implements [channels.AttachmentOpener]. It ignores the size that
// Telegram names and reads at most 20 MB.
func (f *Files) OpenAttachment(ctx context.Context, a channels.Attachment) (io.ReadCloser, error) {
	if a.Size > maxFile {
		return nil, channels.ErrTooLarge
	}
	var found struct {
		Path string `json:"file_path"`
		Size int64  `json:"file_size"`
	}
	if err := f.client.Call(ctx, "getFile", tgbotapi.Params{"file_id": a.Ref}, &found); err != nil {
		if ae, ok := errors.AsType[*api.Error](err); ok && ae.Says("file is too big") {
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
	body, err := f.client.Download(ctx, found.Path)
	if err != nil {
		return nil, err
	}
	return wire.Whole(wire.NewBounded(body, maxFile, f.client.Scrub), found.Size), nil
}
