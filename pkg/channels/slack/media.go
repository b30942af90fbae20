package slack

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

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
	errElsewhere   = errors.New("slack: the file is kept on another server")
	errNoFilesRead = errors.New("slack: a page came in place of the file: the app lacks the scope files:read, add it and install the app again")
)

// OpenAttachment implements [channels.AttachmentOpener]. What Slack says of a file's
// size counts for nothing: more than 50 MB is never read. The token goes to Slack alone.
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
	address := first(f.URLPrivateDownload, f.URLPrivate)
	if !c.keeps(address) {
		return nil, errElsewhere
	}
	body, err := c.client.download(ctx, address)
	if err != nil {
		return nil, err
	}
	return newFile(wire.NewBounded(body, maxFile, func(err error) error { return err }), f)
}

// keeps says that an address is one of Slack's, or of the server in its place.
func (c *Channel) keeps(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if base, err := url.Parse(c.opt.APIURL); err == nil && u.Host != "" && u.Host == base.Host && u.Scheme == base.Scheme {
		return true
	}
	return u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") && strings.HasSuffix(u.Hostname(), ".slack.com")
}

// maxPeek is how much of a file is looked at to know a page from it.
const maxPeek = 512

// newFile is the content of f, unless it is Slack's page for those who may not read
// it, which comes with status 200.
func newFile(body io.ReadCloser, f *slack.File) (io.ReadCloser, error) {
	head := make([]byte, maxPeek)
	n, err := io.ReadFull(body, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		wire.Drop(body)
		return nil, err
	}
	head = head[:n]
	isPage := strings.HasPrefix(http.DetectContentType(head), "text/html")
	promised := strings.Contains(f.Mimetype, "html") || strings.HasPrefix(f.Mimetype, "text/") || f.Filetype == "html"
	if isPage && !promised {
		wire.Drop(body)
		return nil, errNoFilesRead
	}
	return &fileBody{Reader: io.MultiReader(strings.NewReader(string(head)), body), Closer: body}, nil
}

// fileBody reads what was looked at and then the rest.
type fileBody struct {
	io.Reader
	io.Closer
}
