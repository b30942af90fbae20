package fakeslack

import "net/http"

// Where files come from and go to.
const (
	uploadPath   = "/upload/v1/"
	downloadPath = "/files-pri/"
)

// File is a file that the bot posted.
type File struct {
	ID, Name, Title string
	Data            []byte
}

// file is a stored file. The server's mutex guards it.
type file struct {
	id, name, title, owner string
	data                   []byte
	done                   bool // it can be seen
}

// store keeps a file under a new id. The lock is held.
func (s *Server) store(name string, content []byte, owner string) *file {
	f := &file{id: s.id("F"), name: name, title: name, owner: owner, data: content}
	s.files[f.id] = f
	return f
}

func (s *Server) fileInfo(f *file) map[string]any {
	url := s.http.URL() + downloadPath + s.opt.Team + "-" + f.id + "/"
	return map[string]any{
		"id": f.id, "name": f.name, "title": f.title, "user": f.owner, "size": len(f.data), "mode": "hosted",
		"is_external": false, "url_private": url + f.name, "url_private_download": url + "download/" + f.name,
	}
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request, rest string)   { http.NotFound(w, r) }
func (s *Server) download(w http.ResponseWriter, r *http.Request, rest string) { http.NotFound(w, r) }

func (c *call) uploadURL() (answer, error)      { return nil, no("unknown_method", "") }
func (c *call) completeUpload() (answer, error) { return nil, no("unknown_method", "") }
