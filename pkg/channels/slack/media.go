package slack

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// maxFile is the largest file that is fetched. Slack itself gives bots files of up
// to 1 GB.
const maxFile = 50 << 20

var (
	_ channels.AttachmentOpener = (*Channel)(nil)

	errNoFile      = errors.New("slack: no such file")
	errNoFilesRead = errors.New("slack: a page came in place of the file: where the app lacks the scope files:read, add it and install the app again")
)

// OpenAttachment implements [channels.AttachmentOpener]. What Slack says of a file's
// size counts for nothing: more than 50 MB is never read. Its address is asked for
// anew; the token goes with it to Slack alone.
func (c *Channel) OpenAttachment(ctx context.Context, a channels.Attachment) (io.ReadCloser, error) {
	if a.Size > maxFile {
		return nil, channels.ErrTooLarge
	}
	if !isID(a.Ref) {
		return nil, errNoFile
	}
	var f *slack.File
	err := c.client.call(ctx, "files.info", func(ctx context.Context, api *slack.Client) (err error) {
		f, _, _, err = api.GetFileInfoContext(ctx, a.Ref, 0, 0)
		return err
	})
	if err != nil {
		return nil, refused(err)
	}
	if f.Size > maxFile {
		return nil, channels.ErrTooLarge
	}
	body, err := c.client.download(ctx, first(f.URLPrivateDownload, f.URLPrivate), sizeOf(f))
	if we, ok := errors.AsType[*wire.Error](err); ok && we.Status != 0 && we.Status < http.StatusBadRequest {
		return nil, errNoFilesRead // Slack shows, or leads to, a page to sign in at
	}
	if err != nil {
		return nil, err
	}
	return wire.NewBounded(body, maxFile, c.client.scrub), nil
}

// sizeOf is how many bytes a file has, 0 where Slack's word for it is not that of
// bytes: documents that Slack makes itself, and files that lie elsewhere.
func sizeOf(f *slack.File) int64 {
	if f.Mode != "hosted" {
		return 0
	}
	return int64(f.Size)
}
