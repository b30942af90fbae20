package corpora

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"parley/pkg/config"
	"parley/pkg/corpus"
	"parley/pkg/documents"
	"parley/pkg/tools/files"
)

// Open makes the library of a configuration. It reads no file until it runs.
func Open(cfg *config.Config, log zerolog.Logger) *corpus.Library {
	o := corpus.Options{Path: filepath.Join(cfg.StateDir, "index", "corpora"), Log: log}
	if len(cfg.Corpora) > 0 {
		o.Read = read(documents.New(), log)
	}
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

// read gives the texts of documents that helper processes parse in the sandbox.
func read(r *documents.Reader, log zerolog.Logger) corpus.ReadFunc {
	return func(ctx context.Context, path string, f *os.File) (corpus.Text, error) {
		d, err := r.Read(ctx, documents.File{Owner: "corpora", Name: path, Content: f})
		var fault *documents.Error
		switch {
		case errors.As(err, &fault) && fault.Unavailable:
			return corpus.Text{}, fmt.Errorf("%w: %s", corpus.ErrUnavailable, fault.Reason)
		case errors.As(err, &fault) && fault.Hurried:
			return corpus.Text{}, fmt.Errorf("%w: %s", corpus.ErrHurried, fault.Reason)
		case errors.As(err, &fault):
			return corpus.Text{}, err
		case err != nil:
			if ctx.Err() == nil {
				log.Warn().Err(err).Str("file", path).Msg("a file of a corpus cannot be read at the moment")
			}
			return corpus.Text{}, fmt.Errorf("%w at the moment; the log has the reason", corpus.ErrUnavailable)
		}
		return corpus.Text{Text: markdown(d), Note: d.Note}, nil
	}
}

// markdown writes a document so that its pages are headings, above those of its text.
func markdown(d *documents.Document) string {
	var b strings.Builder
	page := 0
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Heading == "" && strings.TrimSpace(s.Text) == "" {
			continue // a page without text
		}
		level := s.Level
		if s.Page > 0 {
			level++
		}
		if s.Page != page {
			page = s.Page
			fmt.Fprintf(&b, "# page %d\n\n", page)
		}
		if s.Heading != "" {
			const deepest = 6
			fmt.Fprintf(&b, "%s %s\n\n", strings.Repeat("#", min(level, deepest)), s.Heading)
		}
		writePlain(&b, s.Text)
		b.WriteString("\n\n")
	}
	return b.String()
}

// writePlain writes a text whose lines are no Markdown: one that looks like a heading or the fence of code is indented, so that
// no document moves its passages to another page or under another heading.
func writePlain(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		if plain := strings.TrimLeft(line, " "); plain != "" && strings.IndexByte("#`~", plain[0]) >= 0 {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
}
