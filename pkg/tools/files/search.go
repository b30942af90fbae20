package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/pkg/text"
	"parley/pkg/tools"
)

// The limits of a search. The answer says that it leaves out the rest.
const (
	defaultResults   = 50
	maxResults       = 200
	maxPattern       = 200
	maxVisited       = 50_000
	maxSearchDepth   = 64
	maxFileSearched  = 4 << 20
	maxBytesSearched = 64 << 20
	maxLineSearched  = 16 << 10
	maxLineShown     = 200
	// DefaultSearchTime is how long a search looks on.
	DefaultSearchTime = 5 * time.Second
)

type searchInput struct {
	Path       string `json:"path,omitempty"`
	Name       string `json:"name,omitempty" jsonschema:"*.md, **/2026/*"`
	Content    string `json:"content,omitempty"`
	Regexp     bool   `json:"regexp,omitempty" jsonschema:"content is RE2"`
	MaxResults int    `json:"max_results,omitempty" maximum:"200"`
}

// found is the result of search_files.
type found struct {
	Success     bool    `json:"success"`
	Results     []match `json:"results"`
	ResultCount int     `json:"result_count"`
	Truncated   bool    `json:"truncated"`
}

// match is a file, or a line in one where content was asked for; lines count from 1.
type match struct {
	Path string `json:"path"`
	Size int64  `json:"size,omitempty"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text,omitempty"`
}

func (a *access) searchFiles(ctx context.Context, in searchInput) (any, error) {
	q, err := newSearch(in)
	if err != nil {
		return nil, err
	}
	s, start, err := a.enter(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	q.space, q.redacted = s, a.redacted
	defer q.space.close()
	limited, cancel := context.WithTimeout(ctx, a.options.SearchTime)
	defer cancel()
	err = q.walk(limited, start)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		q.out.Truncated = true
	case err != nil:
		return nil, err
	}
	q.out.ResultCount = len(q.out.Results)
	return q.out, nil
}

// search is a search on its way through the folders of a space.
type search struct {
	space   *space
	name    *regexp.Regexp
	matches func(line []byte) bool // nil: only names are searched
	// redacted takes the secrets out of a text, before a line is cut, and before a match could tell them.
	redacted func(text []byte) []byte
	most     int
	visited  int
	read     int64
	out      found
}

func newSearch(in searchInput) (*search, error) {
	q := &search{most: in.MaxResults, out: found{Success: true, Results: []match{}}}
	switch {
	case in.Name == "" && in.Content == "":
		return nil, fail(tools.ErrInvalidArguments, "", "name or content is needed")
	case len(in.Name) > maxPattern || len(in.Content) > maxPattern:
		return nil, fail(tools.ErrInvalidArguments, "", "name and content have at most 200 bytes")
	case in.MaxResults < 0 || in.MaxResults > maxResults:
		return nil, fail(tools.ErrInvalidArguments, "", "max_results is from 1 to 200")
	case in.MaxResults == 0:
		q.most = defaultResults
	}
	if in.Name != "" {
		var err error
		if q.name, err = compileGlob(strings.TrimPrefix(in.Name, "./")); err != nil {
			return nil, err
		}
	}
	switch {
	case in.Content == "":
	case in.Regexp:
		re, err := regexp.Compile(in.Content)
		if err != nil {
			return nil, fail(tools.ErrInvalidArguments, "", "content is not a valid regular expression: "+err.Error())
		}
		q.matches = re.Match
	default:
		wanted := []byte(in.Content)
		q.matches = func(line []byte) bool { return bytes.Contains(line, wanted) }
	}
	return q, nil
}

// walk visits the folders below start, each in the order of its names. Links
// are not followed.
func (q *search) walk(ctx context.Context, start string) error {
	pending := []string{start}
	for len(pending) > 0 {
		dir := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		below, err := q.folder(ctx, dir)
		if err != nil && (dir == start || ctx.Err() != nil) {
			return err
		}
		// A folder that cannot be read, or is gone, is left out.
		for _, next := range slices.Backward(below) {
			pending = append(pending, next)
		}
		if q.full() {
			q.out.Truncated = true
			q.out.Results = q.out.Results[:min(len(q.out.Results), q.most)]
			return nil
		}
	}
	return nil
}

// full says whether to stop: one result more than wanted shows that there are more.
func (q *search) full() bool { return len(q.out.Results) > q.most || q.visited >= maxVisited }

// folder searches the files of one folder and returns the folders in it.
func (q *search) folder(ctx context.Context, dir string) (below []string, err error) {
	f, err := q.space.openDir(dir)
	if err != nil {
		return nil, err
	}
	names, more, err := readNames(ctx, f, maxScanned)
	_ = f.Close()
	if err != nil {
		return nil, err
	}
	q.out.Truncated = q.out.Truncated || more
	for _, d := range names {
		if q.full() {
			return nil, nil
		}
		q.visited++
		p := path.Join(dir, d.Name())
		switch {
		case d.IsDir() && strings.Count(p, "/") >= maxSearchDepth:
			q.out.Truncated = true
		case d.IsDir():
			below = append(below, p)
		case d.Type().IsRegular() && (q.name == nil || q.name.MatchString(p)):
			if err := q.file(ctx, p); err != nil {
				return nil, err
			}
		}
	}
	return below, nil
}

// file searches one file with a matching name. One that cannot be opened, such as one
// with several hard links, is no result; only the end of ctx is an error.
func (q *search) file(ctx context.Context, p string) error {
	f, info, err := q.space.openFile(p)
	if err != nil {
		return ctx.Err()
	}
	defer func() { _ = f.Close() }()
	if q.matches == nil {
		q.out.Results = append(q.out.Results, match{Path: strings.ToValidUTF8(q.space.shown(p), "\uFFFD"), Size: info.Size()})
		return nil
	}
	if q.read += min(info.Size(), maxFileSearched); q.read > maxBytesSearched || info.Size() > maxFileSearched {
		q.out.Truncated = true
	}
	if q.read > maxBytesSearched {
		return nil
	}
	return q.content(ctx, p, f)
}

// content adds the lines of a text file that match.
func (q *search) content(ctx context.Context, p string, f fs.File) error {
	data, err := io.ReadAll(io.LimitReader(f, maxFileSearched))
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return ctx.Err()
	}
	number := 0
	for line := range bytes.Lines(q.redacted(data)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		number++
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > maxLineSearched {
			line = line[:maxLineSearched]
		}
		if !q.matches(line) {
			continue
		}
		q.out.Results = append(q.out.Results, match{Path: strings.ToValidUTF8(q.space.shown(p), "\uFFFD"), Line: number, Text: shown(line)})
		if q.full() {
			return nil
		}
	}
	return nil
}

// shown gives a line as text, cut short.
func shown(line []byte) string {
	return text.ClipBytes(string(line), maxLineShown)
}
