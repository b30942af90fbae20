package shelf

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/text"
)

// The bounds of files.
const (
	// MaxUpload is the largest file that a person brings, MaxSent the largest that the
	// assistant sends.
	MaxUpload = 20 << 20
	MaxSent   = 50 << 20
	// MaxLoose is how many uploads of a person may wait for their message.
	MaxLoose = 50
	// A file counts for that much at least, which bounds the number of small ones.
	leastFile = 64 << 10
)

// looseTime is how long an upload waits for its message, and how long no file gives way.
const looseTime = 24 * time.Hour

// The errors of a [Shelf].
var (
	// ErrNotFound: the chat has no such file.
	ErrNotFound = errors.New("there is no such file")
	// ErrTaken: another file has this id.
	ErrTaken = errors.New("another file has this id")
	// ErrAttached: a message has taken the file.
	ErrAttached = errors.New("a message has this file")
)

// FullError says that there is no room for a file.
type FullError struct {
	// Limit is the number of bytes that all files of the chat may take, or of the person,
	// or of the uploads without a message.
	Limit int64
	// Of says which of these it is.
	Of FullOf
}

// FullOf is the kind of a [FullError].
type FullOf int

// The kinds of a [FullError]. The limit of FullLoose is a number of files.
const (
	FullChat FullOf = iota + 1
	FullPerson
	FullLoose
)

// Error implements error; people read it.
func (e *FullError) Error() string {
	switch e.Of {
	case FullLoose:
		return fmt.Sprintf("%d uploads wait for their messages already: send or remove some", e.Limit)
	case FullPerson:
		return fmt.Sprintf("the files of all your chats take the %d MB that they may: the oldest give way after a day", e.Limit/1e6)
	default:
		return fmt.Sprintf("the files of this chat take the %d MB that they may: the oldest give way after a day", e.Limit/1e6)
	}
}

// Options are the parts of a [Shelf]; all are required.
type Options struct {
	// Dir is the folder of the files; the first one makes it.
	Dir string
	// ChatBytes and PersonBytes bound the files of a chat and of a person.
	ChatBytes, PersonBytes int64
	// Waits says whether an item still waits for the end of its turn, Lives whether there is
	// a chat of a name. They are quick.
	Waits func(ctx context.Context, item string) (bool, error)
	Lives func(ctx context.Context, chat string) (bool, error)
}

// Shelf is the folder of the files. The name of a chat is that of its person, a dot, and
// the rest.
type Shelf struct {
	o Options

	mu sync.Mutex
	// under are the files under way, by the folders of their chats and their people.
	under map[string]load
}

// load is a number of files and their size.
type load struct {
	files int
	bytes int64
}

// New is the shelf of a folder.
func New(o Options) *Shelf { return &Shelf{o: o, under: map[string]load{}} }

// NewID is the id of an upload: the same for the same words, or a new one without words.
func NewID(words ...string) string {
	if len(words) == 0 {
		words = []string{rand.Text()}
	}
	return idOf(loosely, words...)
}

// SentID is the id of the file of a message that the assistant sends.
func SentID(outboundID string) string { return idOf(sending, outboundID) }

// The beginnings of ids.
const (
	loosely = "u"
	sending = "s"
)

const idDigits = 31

func idOf(kind string, words ...string) string {
	sum := sha256.New()
	for _, w := range words {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(w), w)
	}
	return kind + hex.EncodeToString(sum.Sum(nil))[:idDigits]
}

// validID says whether a name is an id, and thus one of a file.
func validID(id string) bool {
	return len(id) == idDigits+1 && (id[:1] == loosely || id[:1] == sending) && isHex(id[1:])
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// folderDigits is the length of the names of folders: they tell nothing about their chats.
const folderDigits = 24

func folderName(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:folderDigits]
}

// personFolder and chatFolder are the folders of a chat's person and of the chat itself, below
// that of the shelf.
func personFolder(chat string) string {
	return folderName(chat[:max(0, strings.LastIndexByte(chat, '.'))])
}

func chatFolder(chat string) string { return path.Join(personFolder(chat), folderName(chat)) }

// refOf is the reference of a file for [Shelf.OpenRef].
func refOf(chat, id string) string { return path.Join(chatFolder(chat), id) }

func (s *Shelf) path(ref string) string { return filepath.Join(s.o.Dir, filepath.FromSlash(ref)) }

// label is the head of a file.
type label struct {
	Chat string `json:"chat"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// maxLabel is longer than every label, in bytes.
const maxLabel = 4 << 10

// Opened is a file that is read.
type Opened struct {
	channels.KeptFile
	// Content is what the file holds.
	*io.SectionReader

	file *os.File
}

// Close ends the reading.
func (o *Opened) Close() error { return o.file.Close() }

// Open opens a file of a chat, or gives [ErrNotFound].
func (s *Shelf) Open(chat, id string) (*Opened, error) {
	if !validID(id) {
		return nil, ErrNotFound
	}
	o, of, err := s.open(refOf(chat, id))
	if err == nil && of != chat {
		return nil, errors.Join(ErrNotFound, o.Close())
	}
	return o, err
}

// OpenRef opens a file by the reference of its attachment.
func (s *Shelf) OpenRef(ref string) (*Opened, error) {
	parts := strings.Split(ref, "/")
	if len(parts) != 3 || !isHex(parts[0]) || !isHex(parts[1]) || len(parts[0]) != folderDigits || len(parts[1]) != folderDigits ||
		!validID(parts[2]) {
		return nil, ErrNotFound
	}
	o, _, err := s.open(ref)
	return o, err
}

// open opens a file, and names its chat.
func (s *Shelf) open(ref string) (o *Opened, chat string, err error) {
	f, err := os.Open(s.path(ref))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", ErrNotFound
	}
	if err != nil {
		return nil, "", err
	}
	o = &Opened{file: f}
	info, err := f.Stat()
	var head label
	var length int64
	if err == nil {
		head, length, err = readLabel(f)
	}
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("a kept file: %w", err), f.Close())
	}
	size := info.Size() - length
	o.KeptFile = channels.KeptFile{ID: path.Base(ref), Name: head.Name, Size: size, Type: head.Type}
	o.SectionReader = io.NewSectionReader(f, length, size)
	return o, head.Chat, nil
}

func readLabel(r io.Reader) (head label, length int64, err error) {
	line, err := bufio.NewReaderSize(io.LimitReader(r, maxLabel), maxLabel).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	return head, int64(len(line)), err
}

// Find describes a file of a chat; false where the chat has none of this id.
func (s *Shelf) Find(chat, id string) (channels.KeptFile, bool) {
	o, err := s.Open(chat, id)
	if err != nil {
		return channels.KeptFile{}, false
	}
	_ = o.Close() // nothing was written
	return o.KeptFile, true
}

// attachment is a file as a message has it.
func attachment(chat string, f *channels.KeptFile) channels.Attachment {
	kind := "document"
	if Shows(f.Type) {
		kind = "picture"
	}
	about := kind + " " + f.Name
	if size := text.FileSize(f.Size); size != "" {
		about += ", " + size
	}
	return channels.Attachment{About: about, Ref: refOf(chat, f.ID), Name: f.Name, Size: f.Size, ID: f.ID, Type: f.Type}
}

// Shows says whether files of a type are pictures that a browser may show: they hold no
// script, as those of the type svg may.
func Shows(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	default:
		return false
	}
}
