package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"parley/pkg/channels/wire"
)

var (
	errNotAFile = errors.New("not a file")
	errForeign  = errors.New("the address of a file is not Slack's")
)

// Download opens a file by its url_private. The token goes only to Slack's own hosts
// and to the host of the API; a redirect, which leads to a sign-in page, is not
// followed. The download may take as long as ctx lasts; the caller bounds how much
// it reads, and cleans errors of reading with [Client.Scrub]. A file that ends before
// size bytes is an error; 0 is an unknown size.
func (c *Client) Download(ctx context.Context, address string, size int64) (io.ReadCloser, error) {
	const method = "download"
	u, err := c.fileURL(address)
	if err != nil {
		return nil, &wire.Error{Method: method, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, http.NoBody)
	if err != nil {
		return nil, &wire.Error{Method: method, Err: errForeign}
	}
	req.Header.Set("Authorization", "Bearer "+c.bot())
	resp, err := c.http.Do(req) //nolint:bodyclose // it is dropped below, or closed by the caller
	if err != nil {
		return nil, &wire.Error{Method: method, Sent: true, Err: c.Scrub(err)}
	}
	if resp.StatusCode != http.StatusOK {
		defer wire.Drop(resp.Body)
		return nil, &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotAFile}
	}
	body := &peekedBody{Reader: bufio.NewReader(resp.Body), Closer: resp.Body}
	if isSignIn(resp, body.Reader, size) {
		defer wire.Drop(body)
		return nil, &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotAFile}
	}
	return wire.Whole(body, size), nil
}

// peekedBody is a body that is read again from its beginning.
type peekedBody struct {
	*bufio.Reader
	io.Closer
}

// isSignIn says that Slack sent its sign-in page in place of the file: a page for a
// file that is no page, or a page of another length than the file has.
func isSignIn(resp *http.Response, body *bufio.Reader, size int64) bool {
	declared := isPage(resp.Header.Get("Content-Type"))
	if declared && !isPage(mime.TypeByExtension(path.Ext(resp.Request.URL.Path))) {
		return true
	}
	if size <= 0 || resp.ContentLength < 0 || resp.ContentLength == size {
		return false
	}
	const sniffed = 512
	head, _ := body.Peek(sniffed) // where reading fails, it fails again
	return declared || isPage(http.DetectContentType(head))
}

func isPage(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType) // "" where it cannot be read
	return media == "text/html" || media == "application/xhtml+xml"
}

// Upload posts size bytes to the address that files.getUploadURLExternal gave. The
// address is the permission: no token goes with it. The upload is invisible before
// files.completeUploadExternal.
func (c *Client) Upload(ctx context.Context, address string, body io.Reader, size int64) error {
	const method = "upload"
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	u, err := c.fileURL(address)
	if err != nil {
		return &wire.Error{Method: method, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u, io.LimitReader(body, size))
	if err != nil {
		return &wire.Error{Method: method, Err: errForeign}
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", "application/octet-stream")
	w := &way{Client: c, method: method}
	resp, answer, sent, err := wire.Do(c.http, req, maxAnswer) //nolint:bodyclose // Do has closed it
	switch {
	case err != nil:
		return &wire.Error{Method: method, Sent: sent, Err: c.Scrub(err)}
	case resp.StatusCode == http.StatusTooManyRequests:
		return w.judge(resp, answer, nil)
	case resp.StatusCode != http.StatusOK:
		return &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotAFile}
	}
	return nil
}

// Respond answers an interaction at its response_url, for the person's eyes alone. The
// address is the permission: no token goes with it, and no error holds it.
func (c *Client) Respond(ctx context.Context, address, text string) error {
	const method = "response_url"
	u, err := c.fileURL(address)
	if err != nil {
		return &wire.Error{Method: method, Err: errForeign}
	}
	body, err := json.Marshal(map[string]string{"response_type": "ephemeral", "text": text})
	if err != nil {
		return &wire.Error{Method: method, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u, bytes.NewReader(body))
	if err != nil {
		return &wire.Error{Method: method, Err: errForeign}
	}
	req.Header.Set("Content-Type", "application/json")
	resp, _, sent, err := wire.Do(c.http, req, maxAnswer) //nolint:bodyclose // Do has closed it
	switch {
	case err != nil:
		return &wire.Error{Method: method, Sent: sent, Err: c.Scrub(err)}
	case resp.StatusCode != http.StatusOK:
		return &wire.Error{Method: method, Sent: true, Status: resp.StatusCode, Err: errNotTheAPI}
	}
	return nil
}

// fileURL accepts the address of a file on a host of Slack's, over TLS, or on the
// host of the API.
func (c *Client) fileURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return "", errForeign
	}
	host := strings.ToLower(u.Hostname())
	ours := u.Scheme == c.base.Scheme && strings.EqualFold(u.Host, c.base.Host)
	for _, domain := range []string{"slack.com", "slack-gov.com", "slack-files.com"} {
		ours = ours || u.Scheme == "https" && (host == domain || strings.HasSuffix(host, "."+domain))
	}
	if !ours {
		return "", errForeign
	}
	return u.String(), nil
}
