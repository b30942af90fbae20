package inbound

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/wire"
)

// maxFile is the largest file that is fetched. Slack itself gives bots files of up
// to 1 GB.
const maxFile = 50 << 20

var (
	errNoFile      = errors.New("slack: no such file")
	errNoFilesRead = errors.New("slack: a page came in place of the file: where the app lacks the scope files:read, " +
		"add it and install the app again")
)

// Files opens the files that people send.
type Files struct{ client *api.Client }

// NewFiles makes the Files of an app.
func NewFiles(client *api.Client) *Files { return &Files{client: client} }

// OpenAttachment implements [channels.AttachmentOpener]. It ignores the size that Slack
// names and reads at most 50 MB. Its address is asked for anew; the token goes with it
// to Slack alone.
func (f *Files) OpenAttachment(ctx context.Context, a channels.Attachment) (io.ReadCloser, error) {
	if a.Size > maxFile {
		return nil, channels.ErrTooLarge
	}
	if !api.IsID(a.Ref) {
		return nil, errNoFile
	}
	var told *slack.File
	err := f.client.Call(ctx, "files.info", func(ctx context.Context, web *slack.Client) (err error) {
		told, _, _, err = web.GetFileInfoContext(ctx, a.Ref, 0, 0)
		return err
	})
	if err != nil {
		return nil, api.Refused(err)
	}
	if told.Size > maxFile {
		return nil, channels.ErrTooLarge
	}
	body, err := f.client.Download(ctx, cmp.Or(told.URLPrivateDownload, told.URLPrivate), sizeOf(told))
	if we, ok := errors.AsType[*wire.Error](err); ok && we.Status != 0 && we.Status < http.StatusBadRequest {
		return nil, errNoFilesRead // Slack shows, or leads to, a page to sign in at
	}
	if err != nil {
		return nil, err
	}
	return wire.NewBounded(body, maxFile, f.client.Scrub), nil
}

// sizeOf is how many bytes a file has, 0 where Slack's word for it is not that of
// bytes: documents that Slack makes itself, and files that lie elsewhere.
func sizeOf(f *slack.File) int64 {
	if f.Mode != "hosted" {
		return 0
	}
	return int64(f.Size)
}
