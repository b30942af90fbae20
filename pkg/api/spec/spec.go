package spec

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"sync"

	"parley/pkg/httpd"
)

//go:embed document/*.json
var files embed.FS

// Document is the whole document as JSON.
func Document() ([]byte, error) {
	names, err := fs.Glob(files, "document/*.json")
	if err != nil {
		return nil, err
	}
	whole := map[string]any{}
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var part map[string]any
		if err := json.Unmarshal(raw, &part); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := add(whole, part, "#"); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return json.Marshal(whole)
}

// add puts the members of an object into another one. No value stands in two files.
func add(to, from map[string]any, at string) error {
	for key, value := range from {
		before, known := to[key]
		if !known {
			to[key] = value
			continue
		}
		in, both := before.(map[string]any)
		more, object := value.(map[string]any)
		if !both || !object {
			return fmt.Errorf("%s/%s stands in two files", at, key)
		}
		if err := add(in, more, at+"/"+key); err != nil {
			return err
		}
	}
	return nil
}

// Routes are those of the document. It needs no token, because tools that read it send none, and
// is the same for everyone.
func Routes() []httpd.Route {
	document := sync.OnceValues(Document)
	serve := func(w http.ResponseWriter, _ *http.Request) {
		body, err := document()
		if err != nil {
			panic(err) // a mistake in the files, which the tests of this package find
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(body) // a program that is gone needs no document
	}
	return []httpd.Route{{Pattern: "GET /api/openapi.json", Access: httpd.AccessStatic, Handler: http.HandlerFunc(serve)}}
}
