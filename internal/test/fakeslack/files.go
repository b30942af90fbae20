package fakeslack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"parley/internal/test/fakehttp"
)

// Where files come from and go to.
const (
	uploadPath   = "/upload/v1/"
	downloadPath = "/files-pri/"
	maxUpload    = 64 << 20
)

// File is a file that somebody posted.
type File struct {
	ID, Name, Title, MIME string
	Data                  []byte
	// Size, when above 0, is the size that the server names instead of the length of
	// Data.
	Size int64
	// Clip makes it a clip that was recorded in Slack, of so many milliseconds; Transcript is
	// what Slack has written down of it, "" while it has not.
	Clip       int
	Transcript string
}

// file is a stored file. The server's mutex guards it.
type file struct {
	File
	owner    string
	length   int64 // as announced
	uploaded bool
	done     bool // it can be seen
}

// store keeps a file under a new id. The lock is held.
func (s *Server) store(f File, owner string) *file {
	f.ID = s.id("F")
	if f.Title == "" {
		f.Title = f.Name
	}
	if f.MIME == "" {
		f.MIME = mime.TypeByExtension(path.Ext(f.Name))
	}
	if f.MIME == "" {
		f.MIME = "application/octet-stream"
	}
	if f.Size == 0 {
		f.Size = int64(len(f.Data))
	}
	kept := &file{File: f, owner: owner}
	s.files[f.ID] = kept
	return kept
}

// fileInfo is a file as messages name it (docs.slack.dev/reference/objects/file-object). The lock is held.
func (s *Server) fileInfo(f *file) map[string]any {
	base := s.http.URL() + downloadPath + s.opt.Team + "-" + f.ID + "/"
	info := map[string]any{
		"id": f.ID, "name": f.Name, "title": f.Title, "user": f.owner, "size": f.Size, "mode": "hosted", "file_access": "visible",
		"mimetype": f.MIME, "filetype": strings.TrimPrefix(path.Ext(f.Name), "."), "is_external": false, "is_public": false,
		"url_private": base + f.Name, "url_private_download": base + "download/" + f.Name,
	}
	if f.Clip > 0 {
		heard := map[string]any{"status": "processing"}
		if f.Transcript != "" {
			heard = map[string]any{"status": "complete", "locale": "en-US", "preview": map[string]any{"content": f.Transcript, "has_more": false}}
		}
		info["subtype"], info["duration_ms"], info["transcription"], info["media_display_type"] = "slack_audio", f.Clip, heard, "audio"
	}
	return info
}

// fileByID answers files.info.
func (c *call) fileByID() (answer, error) {
	f := c.srv.files[c.param("file")]
	if f == nil || !f.done {
		return nil, no("file_not_found", "")
	}
	return answer{"file": c.srv.fileInfo(f), "comments": []any{}}, nil
}

func (c *call) uploadURL() (answer, error) {
	length, err := strconv.ParseInt(c.param("length"), 10, 64)
	if err != nil || length <= 0 || c.param("filename") == "" {
		return nil, no("invalid_arguments", "length and filename must not be empty")
	}
	f := c.srv.store(File{Name: c.param("filename")}, c.srv.bot.ID)
	f.length = length
	return answer{"upload_url": c.srv.http.URL() + uploadPath + f.ID, "file_id": f.ID}, nil
}

// upload takes the content of a file, as it is or as one part of a form. A [Rule]
// for it has the method "upload".
func (s *Server) upload(w http.ResponseWriter, r *http.Request, id string) {
	req := &Request{Method: "upload", Params: map[string]string{"file": id}, Time: time.Now()}
	data, err := content(r)
	if errors.Is(err, errGone) {
		panic(http.ErrAbortHandler)
	}
	fault, ok := s.begin(w, r, req)
	if !ok {
		return
	}
	s.mu.Lock()
	f := s.files[id]
	status := http.StatusOK
	switch {
	case err != nil:
		status = http.StatusBadRequest
		s.Note("upload: " + err.Error())
	case f == nil || f.uploaded:
		status = http.StatusNotFound
		s.Note("upload of a file that was not announced")
	case int64(len(data)) != f.length:
		status = http.StatusBadRequest
		s.Note("upload of " + strconv.Itoa(len(data)) + " bytes, announced were " + strconv.FormatInt(f.length, 10))
	default:
		f.Data, f.Size, f.uploaded = data, f.length, true
	}
	s.mu.Unlock()
	s.answered(req, status, "")
	if fault.DropAfter {
		panic(http.ErrAbortHandler)
	}
	if !fakehttp.Pause(r.Context(), fault.Hold) {
		return
	}
	w.WriteHeader(status)
	fakehttp.WriteBody(w, []byte("OK - "+strconv.Itoa(len(data))), fault.Cut)
}

// content is the file in a request.
func content(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxUpload+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(kind, "multipart/") {
		return data, nil //nolint:nilerr // without a type the body is the file itself
	}
	form := multipart.NewReader(bytes.NewReader(data), params["boundary"])
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the form has no file")
		}
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			return io.ReadAll(part)
		}
	}
}

// completeUpload shows the uploaded files, as one message in each of the channels.
func (c *call) completeUpload() (answer, error) {
	var named []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	if err := json.Unmarshal([]byte(c.param("files")), &named); err != nil || len(named) == 0 {
		return nil, no("invalid_arguments", "files is not an array of files")
	}
	var files []*file
	shown := []any{}
	for _, n := range named {
		f := c.srv.files[n.ID]
		if f == nil || !f.uploaded || f.done {
			return nil, no("file_not_found", "")
		}
		files = append(files, f)
		shown = append(shown, c.srv.fileInfo(f))
	}
	chats := strings.FieldsFunc(c.param("channels"), func(r rune) bool { return r == ',' })
	if c.req.Chat != "" {
		chats = append(chats, c.req.Chat)
	}
	if len(chats) == 0 {
		return answer{"files": shown}, nil
	}
	var messages []func()
	for _, id := range chats {
		c.req.Chat = id
		show, err := c.sharing(files)
		if err != nil {
			return nil, err
		}
		messages = append(messages, show)
	}
	for i, f := range files {
		f.done = true
		if named[i].Title != "" {
			f.Title = named[i].Title
		}
	}
	for _, show := range messages {
		show()
	}
	return answer{"files": shown}, nil
}

// sharing is the message of a finished upload in the request's channel, and how to post it.
func (c *call) sharing(files []*file) (func(), error) {
	r, err := c.room()
	if err != nil {
		return nil, err
	}
	if err := c.threaded(r); err != nil {
		return nil, err
	}
	blocks, err := c.blocks()
	if err != nil {
		return nil, err
	}
	if len(blocks) > 0 && c.param("initial_comment") != "" {
		return nil, no("invalid_arguments", "initial_comment and blocks exclude each other")
	}
	if wait := r.posts.take(c.srv.opt.Limits.Posts, c.srv.opt.Limits.Burst, time.Now()); wait > 0 {
		return nil, tooMany(wait)
	}
	e := &entry{
		own: true, author: c.srv.bot, subtype: "file_share", thread: c.param("thread_ts"),
		text: c.param("initial_comment"), blocks: blocks, files: files,
	}
	return func() { c.put(r, e) }, nil
}

// loginPage is the page that Slack shows to clients without a right to a file, with
// status 200.
const loginPage = "<!DOCTYPE html><html><head><title>Login | Slack</title></head><body>Sign in to see this file</body></html>"

// download serves a file to clients with the bot's token. A [Rule] for it has the
// method "download".
func (s *Server) download(w http.ResponseWriter, r *http.Request, rest string) {
	name, _, _ := strings.Cut(rest, "/")
	_, id, _ := strings.Cut(name, "-")
	req := &Request{Method: "download", Params: map[string]string{"file": id}, Time: time.Now()}
	fault, ok := s.begin(w, r, req)
	if !ok {
		return
	}
	s.mu.Lock()
	f := s.files[id]
	var data []byte
	known := f != nil && f.done
	if known {
		data = f.Data
	}
	s.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "Bearer "+s.BotToken():
		s.answered(req, http.StatusOK, "")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fakehttp.WriteBody(w, []byte(loginPage), 0)
	case !known:
		s.answered(req, http.StatusNotFound, "")
		http.NotFound(w, r)
	default:
		s.answered(req, http.StatusOK, "")
		w.Header().Set("Content-Type", f.MIME)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		if fakehttp.Pause(r.Context(), fault.Hold) {
			fakehttp.WriteBody(w, data, fault.Cut)
		}
	}
}
