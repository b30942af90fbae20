package faketelegram

import (
	"fmt"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/test/fakehttp"
)

// Bounds of files, the Bot API's own.
const (
	maxDownload = 20 << 20
	maxPhoto    = 10 << 20
	minAlbum    = 2
	maxAlbum    = 10
)

// File is a file that somebody sent.
type File struct {
	ID, Name, MIME string
	Data           []byte
	// Size, when above 0, is the size that the server names instead of the length of
	// Data.
	Size int64
}

// file is a stored file. The server's mutex guards the map it is in.
type file struct {
	id, unique, name, mime, path string
	data                         []byte
	size                         int64
}

// store keeps a file under a new id. The lock is held.
func (s *Server) store(folder string, f File) *file {
	n := len(s.files)
	kept := &file{
		id: fmt.Sprintf("AgACAgIAAxkDAAI%05dFILE", n), unique: fmt.Sprintf("AQAD%05d", n), name: f.Name, mime: f.MIME,
		path: fmt.Sprintf("%s/file_%d%s", folder, n, path.Ext(f.Name)), data: f.Data, size: int64(len(f.Data)),
	}
	if f.Size > 0 {
		kept.size = f.Size
	}
	s.files[kept.id] = kept
	return kept
}

func (f *file) info() *fileInfo {
	return &fileInfo{FileID: f.id, FileUniqueID: f.unique, FileName: f.name, MIME: f.mime, FileSize: f.size}
}

// sizes are a photo's, the smaller first.
func (f *file) sizes() []fileInfo {
	small, large := f.info(), f.info()
	small.FileID, small.FileUniqueID, small.FileSize = "thumb-"+f.id, "thumb-"+f.unique, min(f.size, 1000)
	small.Width, small.Height, large.Width, large.Height = 90, 90, 800, 800
	for _, size := range []*fileInfo{small, large} {
		size.FileName, size.MIME = "", ""
	}
	return []fileInfo{*small, *large}
}

func (c *call) getFile() (any, error) {
	id := c.param("file_id")
	f := c.srv.files[strings.TrimPrefix(id, "thumb-")]
	switch {
	case id == "":
		return nil, bad(wordFileID)
	case f == nil:
		return nil, bad(wordFileWrong)
	case f.size > maxDownload:
		return nil, bad(wordFileBig)
	}
	return fileInfo{FileID: f.id, FileUniqueID: f.unique, FileSize: f.size, FilePath: f.path}, nil
}

// download serves /file/bot<token>/<path>. A [Rule] for it has the method "download".
func (s *Server) download(w http.ResponseWriter, r *http.Request, rest string) {
	token, name, _ := strings.Cut(rest, "/")
	bot := s.botOf(token)
	if bot == nil {
		refuse(w, &refusal{Code: http.StatusUnauthorized, Description: wordUnauthorized})
		return
	}
	s.mu.Lock()
	var found *file
	for _, f := range s.files {
		if f.path == name {
			found = f
		}
	}
	s.mu.Unlock()
	req := &Request{Bot: bot.user.ID, Method: "download", Params: map[string]string{"path": name}, Time: time.Now()}
	fault, ok := s.begin(w, r, req)
	switch {
	case !ok:
	case found == nil:
		no := &refusal{Code: http.StatusNotFound, Description: wordNotFound}
		s.refused(req, no)
		refuse(w, no)
	default:
		s.answered(req, http.StatusOK, "")
		w.Header().Set("Content-Length", strconv.Itoa(len(found.data)))
		w.WriteHeader(http.StatusOK)
		fakehttp.WriteBody(w, found.data, fault.Cut)
	}
}

// uploaded is the file of the parameter name, new or stored.
func (c *call) uploaded(name, folder string) (*file, bool) {
	value := c.param(name)
	if field, ok := strings.CutPrefix(value, "attach://"); ok {
		name = field
	} else if f := c.srv.files[value]; f != nil {
		return f, true
	}
	i := slices.IndexFunc(c.req.Files, func(u Upload) bool { return u.Field == name })
	if i < 0 {
		return nil, false
	}
	u := c.req.Files[i]
	kind := mime.TypeByExtension(path.Ext(u.Name))
	return c.srv.store(folder, File{Name: u.Name, MIME: kind, Data: u.Data}), true
}

func (c *call) sendPhoto() (any, error) {
	return c.sendFile("photo", wordNoPhoto)
}

func (c *call) sendDocument() (any, error) {
	return c.sendFile("document", wordNoDocument)
}

func (c *call) sendFile(kind, missing string) (any, error) {
	caption, ents, err := c.text("caption", "caption_entities", maxCaption)
	if err != nil {
		return nil, err
	}
	f, ok := c.uploaded(kind, kind+"s")
	if !ok {
		return nil, bad(missing)
	}
	e := &entry{message: message{Caption: caption, CaptionEnts: ents}}
	if err := e.attach(kind, f); err != nil {
		return nil, err
	}
	return c.send(e)
}

// attach makes f the content of e.
func (e *entry) attach(kind string, f *file) error {
	e.upload = f
	if kind != "photo" {
		e.Document = f.info()
		return nil
	}
	if f.size > maxPhoto {
		return bad(wordFileBig)
	}
	e.Photo = f.sizes()
	return nil
}

func (c *call) sendMediaGroup() (any, error) {
	var items []struct {
		Type    string `json:"type"`
		Media   string `json:"media"`
		Caption string `json:"caption"`
		Mode    string `json:"parse_mode"`
	}
	if err := c.decode("media", &items, wordMediaJSON, wordMediaArray); err != nil {
		return nil, err
	}
	if len(items) < minAlbum || len(items) > maxAlbum {
		return nil, bad(wordMediaTooMany)
	}
	var all []*entry
	for _, item := range items {
		// Each item is checked as a message with the item's parameters.
		params := map[string]string{"media": item.Media, "caption": item.Caption, "parse_mode": item.Mode}
		one := &call{srv: c.srv, bot: c.bot, req: &Request{Params: params, Files: c.req.Files}}
		caption, ents, err := one.text("caption", "", maxCaption)
		if err != nil {
			return nil, err
		}
		f, ok := one.uploaded("media", item.Type+"s")
		if !ok {
			return nil, bad(wordMediaArray)
		}
		e := &entry{message: message{Caption: caption, CaptionEnts: ents}}
		if err := e.attach(item.Type, f); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return c.sendAlbum(all)
}

func (c *call) sendAlbum(all []*entry) (any, error) {
	var r *room
	for _, e := range all {
		var err error
		if r, err = c.prepare(e); err != nil {
			return nil, err
		}
	}
	if err := c.limit(r); err != nil {
		return nil, err
	}
	id := c.srv.albumID()
	sent := make([]message, len(all))
	for i, e := range all {
		e.AlbumID = id
		c.put(r, e)
		sent[i] = e.message
	}
	return sent, nil
}

// albumID makes a media_group_id. The lock is held.
func (s *Server) albumID() string {
	s.nextID++
	return strconv.FormatInt(13_000_000_000_000_000+s.nextID, 10)
}

// Photo posts a picture; a caption may be empty.
func (c *Chat) Photo(data []byte, caption string, options ...Option) Update {
	return c.Album([]Item{{Photo: data, Caption: caption}}, options...)[0]
}

// Document posts a file.
func (c *Chat) Document(f File, caption string, options ...Option) Update {
	return c.Album([]Item{{Document: f, Caption: caption}}, options...)[0]
}

// Voice posts a voice note of so many seconds.
func (c *Chat) Voice(data []byte, seconds int, options ...Option) Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	note := c.srv.store("voice", File{Name: "voice.oga", MIME: "audio/ogg", Data: data}).info()
	note.FileName, note.Duration = "", seconds
	return c.put(&message{Voice: note}, options)
}

// Item is one picture, or one file where Photo is nil.
type Item struct {
	Photo    []byte
	Document File
	Caption  string
}

// Album posts items as one album: one message and one update each. A single
// one is no album.
func (c *Chat) Album(items []Item, options ...Option) []Update {
	c.srv.mu.Lock()
	defer c.srv.mu.Unlock()
	id := ""
	if len(items) > 1 {
		id = c.srv.albumID()
	}
	updates := make([]Update, len(items))
	for i, item := range items {
		m := &message{AlbumID: id, Caption: item.Caption, CaptionEnts: found(item.Caption)}
		if item.Photo != nil {
			m.Photo = c.srv.store("photos", File{Name: "photo.jpg", Data: item.Photo}).sizes()
		} else {
			m.Document = c.srv.store("documents", item.Document).info()
		}
		updates[i] = c.put(m, options)
	}
	return updates
}
