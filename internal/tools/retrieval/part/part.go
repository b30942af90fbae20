package part

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/pkg/index/passage"
)

// The words with which a part begins.
const (
	Build  = "build"
	Search = "search"
)

// The files of the large collection.
const (
	LargeFile   = "large.gob"
	QueriesFile = "queries.gob"
)

// Hits are those of a search.
const Hits = 10

// Document is one that is searched for: a manual page, or an entry of a changelog.
type Document struct {
	// ID is unique in its collection, Chat the chat of an entry.
	ID, Chat string
	// Query is the line that must find the document.
	Query string
	// Text is the document as Markdown: the headings of a page begin with #.
	Text string
}

// Engine is an index to compare.
type Engine interface {
	// Add takes the documents of a collection, AddLarge those of the large one in the file path.
	Add(ctx context.Context, docs []Document) error
	AddLarge(ctx context.Context, path string) error
	// Search gives the IDs of the best documents, of one chat where it is named.
	Search(ctx context.Context, chat, query string, k int) ([]string, error)
	Close() error
}

// Item is a document of the large collection, with its passages.
type Item struct {
	ID, Language string
	Passages     []passage.Passage
}

// Items reads the large collection.
func Items(path string, f func(Item) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	d := gob.NewDecoder(file)
	for {
		var one Item
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(one)
		}
		if err != nil {
			return err
		}
	}
}

// Figures are those of a process.
type Figures struct {
	Seconds, CPU float64
	// Peak, Resident and Anonymous are VmHWM, VmRSS and RssAnon, in MB.
	Peak, Resident, Anonymous float64
}

// Run is a part: build or search, in a folder with the large collection. It prints its figures.
func Run(ctx context.Context, args []string, out io.Writer, open func(dir string) (Engine, error)) error {
	if len(args) != 3 {
		return errors.New("usage: build|search ENGINE FOLDER")
	}
	e, err := open(filepath.Join(args[2], args[1]))
	if err != nil {
		return err
	}
	began := time.Now()
	if args[0] == Build {
		err = e.AddLarge(ctx, filepath.Join(args[2], LargeFile))
	} else {
		err = searchAll(ctx, e, args[2])
	}
	f, statErr := measured(time.Since(began))
	if err := errors.Join(err, statErr, e.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, f.Seconds, f.CPU, f.Peak, f.Resident, f.Anonymous)
	return err
}

// Scan reads the figures that a part has printed.
func (f *Figures) Scan(printed string) error {
	_, err := fmt.Sscan(printed, &f.Seconds, &f.CPU, &f.Peak, &f.Resident, &f.Anonymous)
	return err
}

func searchAll(ctx context.Context, e Engine, dir string) error {
	file, err := os.Open(filepath.Join(dir, QueriesFile))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var queries []string
	if err := gob.NewDecoder(file).Decode(&queries); err != nil {
		return err
	}
	for _, q := range queries {
		if _, err := e.Search(ctx, "", q, Hits); err != nil {
			return err
		}
	}
	return nil
}

// measured tells of this process.
func measured(took time.Duration) (Figures, error) {
	f := Figures{Seconds: took.Seconds()}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return f, err
	}
	f.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	status, err := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
		switch name {
		case "VmHWM":
			f.Peak = kb / 1024
		case "VmRSS":
			f.Resident = kb / 1024
		case "RssAnon":
			f.Anonymous = kb / 1024
		}
	}
	return f, err
}
