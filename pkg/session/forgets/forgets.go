package forgets

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/durable"
	"parley/pkg/openat"
)

// File is the name of the ledger in the state folder.
const File = "forgets.jsonl"

// maxLine is more than any entry takes, in bytes.
const maxLine = 1 << 20

// Step is a part of forgetting.
type Step string

// The steps, in their order.
const (
	// StepFiles deletes the files that a chat at its address has, while no chat has begun anew there.
	StepFiles Step = "files"
	// StepStore deletes the records of the chat.
	StepStore Step = "store"
	// StepRest deletes the files that have the ids of the chat and its messages.
	StepRest Step = "rest"
	// StepTell tells the chat.
	StepTell Step = "tell"
	// StepPages overwrites the pages of the store that are free.
	StepPages Step = "pages"
	// StepCopies takes a new snapshot and deletes the chat from older copies of the store.
	StepCopies Step = "copies"
)

// Steps are all steps in their order.
func Steps() []Step {
	return []Step{StepFiles, StepStore, StepRest, StepTell, StepPages, StepCopies}
}

// Entry is one forget. At, Shared, Question and Turn are there until its last step is done.
type Entry struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	// Chat is the id of the chat, and Session that of the one conversation that was forgotten; "" is
	// the whole chat.
	Chat    string `json:"chat"`
	Session string `json:"session,omitempty"`
	// Left are the steps that are left, in their order.
	Left []Step `json:"left,omitempty"`
	// Moved are the addresses of a chat that has moved: a snapshot of the time before may have a part of it
	// as a chat of its own at one of them. That has a number up to Until, the last one that was given out, and
	// a chat that began there later a higher one.
	Moved []channels.Address `json:"moved,omitempty"`
	Until uint64             `json:"until,omitempty"`
	// At is the present address of the chat.
	At channels.Address `json:"at,omitzero"`
	// Shared says that the chat used the space of the owners.
	Shared bool `json:"shared,omitempty"`
	// Question is the message that the person answered; "" where none was put. Turn is that of the answer.
	Question string `json:"question,omitempty"`
	Turn     string `json:"turn,omitempty"`
}

// Whole says that the whole chat is forgotten.
func (e *Entry) Whole() bool { return e.Session == "" }

// Ledger is the ledger of a state folder. [Open] makes one.
type Ledger struct {
	path string

	mu      sync.Mutex
	entries []Entry
}

// Open reads the ledger of a state folder; a missing one is empty. It writes no file.
func Open(dir string) (*Ledger, error) {
	l := &Ledger{path: filepath.Join(dir, File)}
	f, _, err := openat.Own(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it is only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		var e Entry
		switch err := json.Unmarshal(line, &e); {
		case len(line) == 0:
		case err != nil || e.ID == "" || e.Chat == "":
			return nil, fmt.Errorf("line %d of %s cannot be read: a chat that was forgotten could come back; "+
				"put the file of a backup in its place, or correct the line", n, l.path)
		default:
			// An earlier build deleted all files in one step, after the records.
			if i := slices.Index(e.Left, StepFiles); i >= 0 && !slices.Contains(e.Left, StepRest) {
				e.Left = slices.Insert(e.Left, i+1, StepRest)
			}
			l.entries = append(l.entries, e)
		}
	}
	return l, lines.Err()
}

// All are all entries, the oldest first.
func (l *Ledger) All() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// Unfinished are the entries with steps that are left.
func (l *Ledger) Unfinished() []Entry {
	return slices.DeleteFunc(l.All(), func(e Entry) bool { return len(e.Left) == 0 })
}

// Add stores an entry; it is durable when Add returns nil.
func (l *Ledger) Add(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.store(append(slices.Clone(l.entries), e))
}

// Replace stores an entry in the place of the one with its id.
func (l *Ledger) Replace(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.entries)
	if i := slices.IndexFunc(all, func(old Entry) bool { return old.ID == e.ID }); i >= 0 {
		all[i] = e
	}
	return l.store(all)
}

// Did stores that a step of an entry is done.
func (l *Ledger) Did(id string, s Step) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.entries)
	i := slices.IndexFunc(all, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	e := &all[i]
	e.Left = slices.DeleteFunc(slices.Clone(e.Left), func(left Step) bool { return left == s })
	if len(e.Left) == 0 {
		e.Left, e.At, e.Shared, e.Question, e.Turn = nil, channels.Address{}, false, "", ""
	}
	return l.store(all)
}

// store writes the file, and then takes the entries over.
func (l *Ledger) store(all []Entry) error {
	err := durable.Replace(l.path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for i := range all {
			if err := enc.Encode(&all[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		l.entries = all
	}
	return err
}
