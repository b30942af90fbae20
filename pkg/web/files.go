package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"parley/pkg/httpd"
)

//go:embed static
var files embed.FS

// Page is the page as it is served. [New] makes it.
type Page struct {
	index   []byte
	version string
	assets  map[string]asset
}

type asset struct {
	kind string
	body []byte
}

// indexFile has the mark where the address of the other files goes.
const (
	indexFile   = "index.html"
	versionMark = "VERSION"
	versionLen  = 12
)

// New reads the files of the page.
func New() (*Page, error) {
	p := &Page{assets: map[string]asset{}}
	sum := sha256.New()
	err := fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(body), body)
		name = strings.TrimPrefix(name, "static/")
		if kind := kinds()[path.Ext(name)]; kind != "" {
			p.assets[name] = asset{kind, body}
		}
		return nil
	})
	p.version = hex.EncodeToString(sum.Sum(nil))[:versionLen]
	p.index = []byte(strings.ReplaceAll(string(p.assets[indexFile].body), versionMark, p.version))
	return p, err
}

// kinds are the types of the files that a browser reads; other files are for people.
func kinds() map[string]string {
	return map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml",
	}
}

// Routes are the routes of the page.
func (p *Page) Routes() []httpd.Route {
	return []httpd.Route{
		{Pattern: "GET /{$}", Access: httpd.AccessStatic, Handler: http.HandlerFunc(p.serveIndex)},
		{Pattern: "GET /static/{version}/{file...}", Access: httpd.AccessStatic, Handler: http.HandlerFunc(p.serveFile)},
		{Pattern: "POST /page/markdown", Access: httpd.AccessPage, Handler: http.HandlerFunc(trees)},
	}
}

func (p *Page) serveIndex(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", p.assets[indexFile].kind)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(p.index) // a browser that is gone needs no page
}

// serveFile serves a file under the address of this version alone: an old page loads anew.
func (p *Page) serveFile(w http.ResponseWriter, r *http.Request) {
	a, ok := p.assets[r.PathValue("file")]
	if !ok || r.PathValue("version") != p.version || r.PathValue("file") == indexFile {
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: textNotFound})
		return
	}
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(a.body)
}
