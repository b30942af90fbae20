package web

import (
	"io/fs"
	"strings"
	"testing"
)

// Sources are the files of the page by their names.
func Sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := files.ReadFile(name)
		all[strings.TrimPrefix(name, "static/")] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
