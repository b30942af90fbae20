package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/pkg/channels"
	"parley/pkg/documents"
	"parley/pkg/durable"
	"parley/pkg/openat"
)

const (
	// A file has a name of this beginning until it is whole. A process that died has
	// left the ones that are older than partialAge.
	partial    = ".part-"
	partialAge = time.Hour
	// How many files of one name there may be.
	maxNames = 1000
)

// saved is a file in a space; mime is set for pictures only. For a document, readable says that
// its text can be read.
type saved struct {
	path, mime string
	readable   string
	size       int64
}

// save stores the content of r under a name of its own. Content that breaks off is not
// kept, and content that the folder has already, byte for byte, is not kept twice.
func save(box *os.Root, name string, r io.Reader) (kept saved, err error) {
	f, part, err := newPart(box)
	if err != nil {
		return kept, err
	}
	defer func() {
		if part != "" {
			err = errors.Join(err, box.Remove(part))
		}
	}()
	head := &head{}
	err = durable.Fill(f, func(w io.Writer) (err error) {
		kept.size, err = io.Copy(w, io.TeeReader(io.LimitReader(r, maxFile+1), head))
		if err == nil && kept.size > maxFile {
			err = channels.ErrTooLarge
		}
		return err
	})
	if err != nil {
		return kept, fmt.Errorf("keep a file: %w", err)
	}
	kept.mime, kept.readable = head.picture(), head.document(name)
	at, fresh, err := reserveName(box, name, part, kept.size)
	if kept.path = path.Join(Inbox, at); err != nil || !fresh {
		return kept, err
	}
	if err := box.Rename(part, at); err != nil {
		return kept, fmt.Errorf("keep a file: %w", errors.Join(err, box.Remove(at)))
	}
	part = ""
	return kept, nil
}

// head keeps the first bytes of a file, which tell its type.
type head struct{ b bytes.Buffer }

const headSize = 512

// Write implements [io.Writer].
func (h *head) Write(p []byte) (int, error) {
	h.b.Write(p[:min(len(p), headSize-h.b.Len())])
	return len(p), nil
}

// picture is the type of a picture that models can be shown, "" of anything else.
func (h *head) picture() string {
	switch mime := http.DetectContentType(h.b.Bytes()); mime {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return mime
	default:
		return ""
	}
}

// document says that read_file gives the text of a PDF or DOCX; "" of anything else.
func (h *head) document(name string) string {
	switch documents.Detect(name, h.b.Bytes()) {
	case documents.PDF, documents.DOCX:
		return "; read_file gives its text"
	default:
		return ""
	}
}

// newPart creates a file that is not whole yet.
func newPart(box *os.Root) (*os.File, string, error) {
	for n := range maxNames {
		at := partial + strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.Itoa(n)
		f, err := create(box, at)
		if !errors.Is(err, os.ErrExist) {
			return f, at, err
		}
	}
	return nil, "", os.ErrExist
}

func create(box *os.Root, at string) (*os.File, error) {
	f, err := box.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep a file: %w", err)
	}
	return f, nil
}

// reserveName finds the name for the file part, with a number where other content has
// that name. The file of this name has the same content already, or it is fresh: an
// empty one that holds the name.
func reserveName(box *os.Root, name, part string, size int64) (at string, fresh bool, err error) {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= maxNames; n++ {
		f, err := create(box, name)
		switch {
		case err == nil:
			return name, true, f.Close()
		case !errors.Is(err, os.ErrExist):
			return "", false, err
		case same(box, name, part, size):
			return name, false, nil
		}
		name = stem + "-" + strconv.Itoa(n+1) + ext
	}
	return "", false, fmt.Errorf("keep a file: there are %d of the name %s", maxNames, name)
}

// same compares the contents of two files. The file a may be of any kind and size.
func same(box *os.Root, a, b string, size int64) bool {
	one, info, err := openat.File(box, a)
	if err != nil {
		return false
	}
	defer one.Close()
	if info.Size() != size {
		return false
	}
	other, _, err := openat.File(box, b)
	if err != nil {
		return false
	}
	defer other.Close()
	const piece = 32 << 10
	x, y := make([]byte, piece), make([]byte, piece)
	for {
		n, err := io.ReadFull(one, x)
		m, _ := io.ReadFull(other, y) // its size is known
		if !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}

// maxFileName bounds a kept file's name in bytes.
const maxFileName = 120

// fileName makes a plain name of the one that a person gave a file.
func fileName(name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c == '.', c == '-', c == '_', c == ' ', c >= '0' && c <= '9',
			c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c > 0x7f && strconv.IsPrint(c):
			return c
		default:
			return '_'
		}
	}, strings.ToValidUTF8(path.Base(strings.ReplaceAll(name, `\`, "/")), "_"))
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	for len(name) > maxFileName {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:] // the end tells the kind of file
	}
	if name == "" {
		return "file-" + time.Now().UTC().Format("20060102-150405")
	}
	return name
}
