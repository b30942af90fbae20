package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"parley/pkg/index/passage"
	"parley/pkg/openat"
	"parley/pkg/text"
)

// readTime bounds the reading of a file of another format.
const readTime = 30 * time.Second

// passageSize is the memory of a passage beside its texts, in bytes.
const passageSize = 64

// maxGathered bounds the passages of a file, with their headings, in bytes of memory.
const maxGathered = 16 << 20

// maxWhy bounds the reason of a reader, in bytes.
const maxWhy = 200

// format is how the text of a file is made.
type format int

const (
	formatNone format = iota
	formatMarkdown
	formatText
	formatOther // by Options.Read
)

func formatOf(name string) format {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return formatMarkdown
	case ".txt", ".text", ".rst", ".adoc", ".org":
		return formatText
	case ".html", ".htm", ".csv", ".tsv", ".json", ".pdf", ".docx":
		return formatOther
	default:
		return formatNone
	}
}

// unread is the reason for which a file is not indexed. It holds until the file changes.
type unread string

func (u unread) Error() string { return string(u) }

// errChanged says that a file is being changed: the next look reads it.
var errChanged = errors.New("it is being changed")

// content is the text of a file in passages; note says which part is missing.
type content struct {
	passages []passage.Passage
	note     string
}

// read gives the text of a file, whole and as it was at one moment. The error is an [unread],
// errChanged, or one of the moment.
func (l *Library) read(ctx context.Context, root *os.Root, name string) (content, stamp, error) {
	f, info, err := openat.File(root, name)
	if err != nil {
		return content{}, stamp{}, openError(err)
	}
	defer func() { _ = f.Close() }()
	was := stampOf(info)
	if age := time.Since(info.ModTime()); age > -settle && age < settle {
		return content{}, was, errChanged
	}
	if most := mostOf(name); was.Size > most {
		return content{}, was, unread(fmt.Sprintf(textLarge, text.FileSize(most)))
	}
	var c content
	err = l.guarded(func() (err error) {
		if formatOf(name) == formatOther {
			c, err = l.other(ctx, name, f)
		} else {
			c.passages, err = plain(name, f, was.Size)
		}
		return err
	})
	if errors.Is(err, errPanic) {
		c, err = content{}, unread(fmt.Sprintf(textFailed, err))
	}
	if !same(root, name, f, info) {
		return content{}, was, errChanged
	}
	return c, was, err
}

// openError is why a file cannot be opened.
func openError(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unread(textNoRight)
	case errors.Is(err, openat.ErrManyNames):
		return unread(textLinked)
	case errors.Is(err, openat.ErrLink), errors.Is(err, openat.ErrNotRegular), errors.Is(err, fs.ErrNotExist):
		return errChanged // a look saw a file here
	default:
		return err
	}
}

// same says that an open file is as it was when it was opened, and still has its name.
func same(root *os.Root, name string, f *os.File, info fs.FileInfo) bool {
	open, err := f.Stat()
	if err != nil || stampOf(open) != stampOf(info) {
		return false
	}
	named, err := root.Lstat(name)
	return err == nil && os.SameFile(named, info) && stampOf(named) == stampOf(info)
}

// mostOf is the size of the largest file of a format.
func mostOf(name string) int64 {
	if formatOf(name) == formatOther {
		return MaxDocument
	}
	return MaxFile
}

// plain reads Markdown and plain text.
func plain(name string, f *os.File, size int64) ([]passage.Passage, error) {
	raw, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) != size {
		return nil, errChanged
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return nil, unread(textNotText)
	}
	if formatOf(name) == formatMarkdown {
		return gather(passage.Markdown(string(raw)))
	}
	return gather(passage.Text(string(raw)))
}

// gather collects the passages of a file. Each has its headings with it, so that a small file may
// have large passages.
func gather(of iter.Seq[passage.Passage]) (all []passage.Passage, err error) {
	size := 0
	for p := range of {
		if size += memory(&p); size > maxGathered {
			return nil, unread(textHeadings)
		}
		all = append(all, p)
	}
	return all, nil
}

// memory is what a passage takes of it, in bytes.
func memory(p *passage.Passage) int { return len(p.Text) + len(p.Heading) + passageSize }

// other reads a file of another format.
func (l *Library) other(ctx context.Context, name string, f *os.File) (content, error) {
	if l.o.Read == nil {
		return content{}, unread(fmt.Sprintf(textNoReader, strings.ToLower(path.Ext(name))))
	}
	limit, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	got, err := l.o.Read(limit, name, f)
	switch {
	case ctx.Err() != nil:
		return content{}, context.Cause(ctx)
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrHurried), err != nil && limit.Err() != nil:
		return content{}, err
	case err != nil:
		return content{}, unread(text.ClipBytes(fmt.Sprintf(textFailed, err), maxWhy))
	case len(got.Text) > MaxFile:
		return content{}, unread(fmt.Sprintf(textLarge, text.FileSize(MaxFile)))
	case !utf8.ValidString(got.Text):
		return content{}, unread(textNotText)
	}
	passages, err := gather(passage.Markdown(got.Text))
	if err != nil {
		return content{}, err
	}
	return content{passages, text.ClipBytes(got.Note, maxWhy)}, nil
}
