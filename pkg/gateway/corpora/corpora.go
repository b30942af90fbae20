package corpora

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/corpus"
	"parley/pkg/tools/files"
)

// Open makes the library of a configuration. It reads no file until it runs.
func Open(cfg *config.Config, read corpus.ReadFunc, log zerolog.Logger) *corpus.Library {
	o := corpus.Options{Path: filepath.Join(cfg.StateDir, "index", "corpora"), Read: read, Log: log}
	secret, _ := files.Matcher(files.Refused()) // a list of ours
	for _, name := range slices.Sorted(maps.Keys(cfg.Corpora)) {
		c := cfg.Corpora[name]
		takes := func(string) bool { return true }
		if len(c.Glob) > 0 {
			takes, _ = files.Matcher(c.Glob) // the configuration was checked
		}
		o.Folders = append(o.Folders, corpus.Folder{
			Name: name, Dir: filepath.Clean(c.Path), Any: len(c.Glob) > 0, Trusted: c.Trusted,
			Takes: func(path string) bool { return !secret(path) && takes(path) },
		})
	}
	return corpus.New(o)
}
