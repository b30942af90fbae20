package httpd

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// The times of requests and answers that hold files.
const (
	// The next bytes of an upload may take uploadPause, and all of them uploadTime.
	uploadPause = 15 * time.Second
	uploadTime  = 15 * time.Minute
)

// UploadBody is the body of an upload. It may take longer than that of other requests, as long as
// bytes come.
func UploadBody(w http.ResponseWriter, r *http.Request) io.Reader {
	return &uploadBody{body: r.Body, to: http.NewResponseController(w), end: time.Now().Add(uploadTime)}
}

type uploadBody struct {
	body io.Reader
	to   *http.ResponseController
	end  time.Time
}

// Read implements [io.Reader].
func (u *uploadBody) Read(p []byte) (int, error) {
	until := time.Now().Add(uploadPause)
	if until.After(u.end) {
		until = u.end
	}
	err := errors.Join(u.to.SetReadDeadline(until), u.to.SetWriteDeadline(until.Add(writeWait)))
	if err != nil {
		return 0, err
	}
	n, err := u.body.Read(p)
	if errors.Is(err, io.EOF) { // the server looks at the connection while the request is answered
		if err := u.to.SetReadDeadline(time.Time{}); err != nil {
			return n, err
		}
	}
	return n, err //nolint:wrapcheck // a reader gives io.EOF as it is
}

// filePolicy lets a file do nothing where a browser shows it: no script, no form, no request.
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

// File is a file as an answer.
type File struct {
	// ID is that of content which never changes.
	ID, Name string
	// Shown is the type of a picture that a browser may show in a page, or "" for a file that
	// it only saves.
	Shown   string
	Content io.ReadSeeker
}

// ServeFile answers with a file, or with the parts of it that the request asks for, as long as
// the credential of the request lasts.
func ServeFile(w http.ResponseWriter, r *http.Request, f File) {
	kind, disposition := "application/octet-stream", "attachment"
	if f.Shown != "" {
		kind, disposition = f.Shown, "inline"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", filePolicy)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+f.ID+`"`)
	slow := &slowly{ResponseWriter: w, ctx: r.Context(), to: http.NewResponseController(w)}
	http.ServeContent(slow, r, "", time.Time{}, f.Content)
}

// slowly gives each write of an answer a deadline of its own, and ends them with its request.
type slowly struct {
	http.ResponseWriter

	ctx context.Context //nolint:containedctx // the answer ends with its request
	to  *http.ResponseController
}

// Write implements [http.ResponseWriter].
func (s *slowly) Write(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	if err := s.to.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return 0, err
	}
	return s.ResponseWriter.Write(p) //nolint:wrapcheck // the answer is as long as it became
}
