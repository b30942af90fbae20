package corpus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/index"
	"parley/pkg/index/blocks"
)

// maxUnread bounds the files that a state names as not read.
const maxUnread = 20

// State tells how far a corpus is indexed.
type State struct {
	Corpus string `json:"corpus"`
	// Files are indexed, of Bytes together.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Waiting files are to be read in the look that goes on.
	Waiting int `json:"waiting,omitempty"`
	// Looked is the end of the last look at the whole folder; zero: none has ended yet.
	Looked time.Time `json:"looked,omitzero"`
	// Unread are the first files that belong to the corpus and are not indexed, or not as a whole;
	// MoreUnread is the number of the others.
	Unread     []Unread `json:"unread,omitempty"`
	MoreUnread int      `json:"more_unread,omitempty"`
	// Notes tell of bounds that were met.
	Notes []string `json:"notes,omitempty"`
	// Trouble is the reason for which the folder or the index cannot be used.
	Trouble string `json:"trouble,omitempty"`
}

// Summary is a [State] in numbers of files.
type Summary struct {
	Corpus  string    `json:"corpus"`
	Files   int       `json:"files"`
	Unread  int       `json:"unread"`
	Waiting int       `json:"waiting"`
	Looked  time.Time `json:"looked,omitzero"`
	Trouble string    `json:"trouble,omitempty"`
}

// Summary counts the files of a state.
func (s *State) Summary() Summary {
	return Summary{s.Corpus, s.Files, len(s.Unread) + s.MoreUnread, s.Waiting, s.Looked, s.Trouble}
}

// Words are the numbers for people.
func (s *Summary) Words() string {
	said := fmt.Sprintf(textCounts, s.Files, s.Unread, s.Waiting)
	if s.Looked.IsZero() && s.Trouble == "" {
		said += textFirstLook
	}
	return said
}

// Unread is a file that is not indexed, or not as a whole, with the reason.
type Unread struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// States are those of corpora, in the order of the names. A name without a corpus is left out.
func (l *Library) States(names []string) []State {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]State, 0, len(names))
	for _, name := range names {
		if s := l.states[name]; s != nil {
			c := *s
			c.Unread, c.Notes = slices.Clone(s.Unread), slices.Clone(s.Notes)
			out = append(out, c)
		}
	}
	return out
}

// Names are those of all corpora.
func (l *Library) Names() []string {
	names := make([]string, len(l.o.Folders))
	for i := range l.o.Folders {
		names[i] = l.o.Folders[i].Name
	}
	return names
}

// change changes the state of a corpus.
func (l *Library) change(name string, f func(*State)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.states[name])
}

// Passage is a piece of a document that was found.
type Passage struct {
	Corpus, File, Heading string
	// First and Last are its lines in the file, or in the text of a file of another format.
	First, Last int
	Text        string
	Score       float64
	// Trusted is that of the corpus.
	Trusted bool
}

// perFile is how many passages of one file a search gives.
const perFile = 2

// Search finds the best passages for words in corpora. The caller bounds how many searches run at
// once: each takes some 20 bytes of memory for each passage in the corpora.
func (l *Library) Search(ctx context.Context, names []string, words string, most int) ([]Passage, error) {
	q := index.Query{Text: words, Limit: most, PerDocument: perFile}
	folders := map[string]*Folder{}
	for i := range l.o.Folders {
		f := &l.o.Folders[i]
		if slices.Contains(names, f.Name) {
			q.Scopes = append(q.Scopes, scopeOf(f))
			folders[scopeOf(f)] = f
		}
	}
	l.mu.Lock()
	ix := l.ix
	l.mu.Unlock()
	if ix == nil {
		return nil, ErrNotReady
	}
	hits, err := ix.Search(ctx, q)
	switch {
	case errors.Is(err, blocks.ErrDamaged):
		select {
		case l.damaged <- struct{}{}:
		default:
		}
		return nil, fmt.Errorf("%w: it is made anew", ErrNotReady)
	case errors.Is(err, index.ErrClosed):
		return nil, ErrNotReady
	case err != nil:
		return nil, err
	}
	out := make([]Passage, len(hits))
	for i := range hits {
		h, f := &hits[i], folders[hits[i].Scope]
		out[i] = Passage{
			Corpus: f.Name, File: h.ID, Heading: h.Heading, First: h.First, Last: h.Last, Text: h.Text, Score: h.Score, Trusted: f.Trusted,
		}
	}
	return out, nil
}
