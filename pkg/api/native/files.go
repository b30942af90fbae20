package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/shelf"
)

// filing serves the files of chats.
type filing struct{ api *API }

// upload stores a file for a message of the chat that is still to come.
func (h filing) upload(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	u := shelf.Upload{ID: shelf.NewID(), Name: r.URL.Query().Get("name"), Size: r.ContentLength, Content: httpd.UploadBody(w, r)}
	if len(r.Header.Values(keyHeader)) > 0 {
		id, f := inboundID(r, p)
		if f != nil {
			return f
		}
		u.ID = shelf.NewID(p.at.Chat, id)
	}
	file, err := h.api.o.Files.Add(r.Context(), p.at.Chat, u)
	if err != nil {
		return h.unkept(r.Context(), err)
	}
	file.Name = h.api.o.Redact(file.Name)
	return h.api.answer(w, http.StatusCreated, file)
}

// unkept says why an upload is not stored.
func (h filing) unkept(ctx context.Context, err error) *httpd.Refusal {
	_, large := errors.AsType[*http.MaxBytesError](err)
	full, isFull := errors.AsType[*shelf.FullError](err)
	switch {
	case large, errors.Is(err, channels.ErrTooLarge):
		said := fmt.Sprintf(textFileSize, shelf.MaxUpload>>20)
		return &httpd.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: said}
	case isFull:
		return &httpd.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "files_full", Message: full.Error()}
	case errors.Is(err, shelf.ErrTaken):
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textOtherFile}
	case ctx.Err() != nil, errors.Is(err, io.ErrUnexpectedEOF):
		return bad("", textBrokenOff)
	default:
		return h.api.fault(err)
	}
}

// filesFor are the files of a message: uploads, or the pictures that came along with it.
func (h filing) filesFor(ctx context.Context, p *place, q *request, item string) ([]channels.Attachment, *httpd.Refusal) {
	if len(q.brought.Pictures) == 0 {
		return h.attach(p, q.Files, item)
	}
	if len(q.Files) > 0 {
		return nil, bad("files", textOwnFiles)
	}
	all, err := h.api.o.Files.Bring(ctx, p.at.Chat, item, shelf.Uploads(q.brought.Pictures))
	if err != nil {
		return nil, h.unkept(ctx, err)
	}
	return all, nil
}

// attach gives a message its files.
func (h filing) attach(p *place, ids []string, item string) ([]channels.Attachment, *httpd.Refusal) {
	if len(ids) == 0 {
		return nil, nil
	}
	if len(ids) > channels.MaxAttachments || len(slices.Compact(slices.Sorted(slices.Values(ids)))) < len(ids) {
		return nil, bad("files", fmt.Sprintf(textManyFiles, channels.MaxAttachments))
	}
	all, err := h.api.o.Files.Attach(p.at.Chat, ids, item)
	switch {
	case errors.Is(err, shelf.ErrNotFound):
		f := notFound()
		f.Param = "files"
		return nil, f
	case err != nil:
		return nil, h.api.fault(err)
	}
	return all, nil
}

// download answers with a file of the chat: to save, or with ?show for a picture of a page.
func (h filing) download(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	file, err := h.api.o.Files.Open(p.at.Chat, r.PathValue("file"))
	if errors.Is(err, shelf.ErrNotFound) {
		return notFound()
	}
	if err != nil {
		return h.api.fault(err)
	}
	defer func() { _ = file.Close() }() // it was read
	f := httpd.File{ID: file.ID, Name: h.api.o.Redact(file.Name), Content: file}
	if r.URL.Query().Has("show") && shelf.Shows(file.Type) {
		f.Shown = file.Type
	}
	httpd.ServeFile(w, r, f)
	return nil
}

// removeFile removes an upload that no message has taken.
func (h filing) removeFile(w http.ResponseWriter, r *http.Request, p *place) *httpd.Refusal {
	switch err := h.api.o.Files.Remove(p.at.Chat, r.PathValue("file")); {
	case errors.Is(err, shelf.ErrNotFound):
		return notFound()
	case errors.Is(err, shelf.ErrAttached):
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textFileTaken}
	case err != nil:
		return h.api.fault(err)
	}
	return h.api.answer(w, http.StatusOK, map[string]string{"id": r.PathValue("file")})
}
