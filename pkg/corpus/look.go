package corpus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"parley/pkg/index"
	"parley/pkg/index/passage"
	"parley/pkg/index/words"
	"parley/pkg/text"
)

const (
	// How many files, and bytes of text, one step indexes.
	stepFiles, stepBytes = 64, 1 << 20
	// How much of a text tells its language.
	sample = 4 << 10
	// The time between two lines of progress in the log.
	tells = 10 * time.Second
)

// record is the data of a document: the file that was read, and why it has no text.
type record struct {
	stamp

	Why string `json:"why,omitempty"`
	// Note says which part of the text is missing.
	Note string `json:"note,omitempty"`
	// Reads is the number of formats that the reader had.
	Reads int `json:"r,omitempty"`
}

// look is one look at a corpus.
type look struct {
	w      *worker
	folder *Folder
	walk   *walk
	scope  string
	known  map[string]record

	pending []file
	unread  []Unread
	total   int
	changed int
	told    time.Time
}

// begin lists the files of a corpus, takes those that are gone out of the index, and finds those
// that are to be read. It gives nil for a folder that cannot be looked at.
func (w *worker) begin(ctx context.Context, f *Folder) (*look, error) {
	lk := &look{w: w, folder: f, scope: scopeOf(f), known: map[string]record{}, told: time.Now()}
	for e, err := range w.ix.Documents(ctx, lk.scope) {
		if err != nil {
			return nil, err
		}
		var r record
		if json.Unmarshal(e.Data, &r) != nil {
			r = record{} // read it again
		}
		lk.known[e.ID] = r
	}
	began := time.Now()
	found, err := walkFolder(ctx, f, w.places)
	w.walked += time.Since(began)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, lk.unreachable(ctx, err)
	}
	lk.walk = found
	slices.SortFunc(found.files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	there := map[string]bool{}
	for _, file := range found.files {
		there[file.path] = true
		if why, ok := w.failed[lk.scope+"/"+file.path]; ok {
			lk.later(file.path, why)
		} else if r, ok := lk.known[file.path]; !ok || r.stamp != file.stamp || r.Reads != lk.reads(file.path) {
			lk.pending = append(lk.pending, file)
		} else if why := cmp.Or(r.Why, r.Note); why != "" {
			lk.unread = append(lk.unread, Unread{file.path, why})
		}
	}
	if err := lk.remove(ctx, func(name string) bool { return !there[name] && !found.misses(name) }); err != nil {
		lk.close()
		return nil, err
	}
	if lk.total = len(lk.pending); lk.total > 0 {
		w.l.o.Log.Info().Str("corpus", f.Name).Int("files", lk.total).Msg("indexing a corpus")
	}
	lk.tell()
	return lk, nil
}

// unreachable tells why the folder cannot be looked at. The documents of one that is gone leave the
// index, those of one that a disk keeps back stay.
func (lk *look) unreachable(ctx context.Context, why error) error {
	known := ""
	lk.w.l.change(lk.folder.Name, func(s *State) {
		known = s.Trouble
		if s.Trouble, s.Waiting = why.Error(), 0; errors.Is(why, fs.ErrNotExist) {
			*s = State{Corpus: s.Corpus, Trouble: why.Error()}
		}
	})
	if known != why.Error() {
		lk.w.l.o.Log.Warn().Err(why).Str("corpus", lk.folder.Name).Msg("the folder of a corpus cannot be read")
	}
	if !errors.Is(why, fs.ErrNotExist) {
		return nil
	}
	return lk.remove(ctx, func(string) bool { return true })
}

// reads tells whether a reader was there for a file.
func (lk *look) reads(name string) int {
	if formatOf(name) == formatOther && lk.w.l.o.Read != nil {
		return 1
	}
	return 0
}

// remove takes documents out of the index.
func (lk *look) remove(ctx context.Context, gone func(name string) bool) error {
	var names []string
	for name := range lk.known {
		if gone(name) {
			names = append(names, name)
			delete(lk.known, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	lk.w.gone = true
	lk.changed += len(names)
	return lk.w.ix.Update(ctx, func(b *index.Batch) error {
		for _, name := range names {
			if err := b.Remove(lk.scope, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// step reads some files and puts them into the index.
func (lk *look) step(ctx context.Context) error {
	var docs []index.Document
	size := 0
	over := time.Now().Add(stepTime)
	for n := 0; len(lk.pending) > 0 && n < stepFiles && size < stepBytes && time.Now().Before(over) && ctx.Err() == nil; n++ {
		next := lk.pending[0]
		lk.pending = lk.pending[1:]
		c, r, err := lk.read(ctx, next.path)
		if err != nil {
			continue
		}
		if was, ok := lk.known[next.path]; ok && was == r {
			continue // it still cannot be read
		}
		d, err := document(next.path, c.passages, r)
		if err != nil {
			return err
		}
		for i := range c.passages {
			size += memory(&c.passages[i])
		}
		docs = append(docs, d)
		lk.known[next.path] = r
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := lk.keep(ctx, docs); err != nil {
		return err
	}
	lk.tell()
	return nil
}

// keep puts documents into the index.
func (lk *look) keep(ctx context.Context, docs []index.Document) error {
	if len(docs) == 0 {
		return nil
	}
	lk.changed += len(docs)
	return lk.w.ix.Update(ctx, func(b *index.Batch) error {
		for i := range docs {
			if err := lk.put(b, docs[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// put adds a document to the index. One that the index does not take is a file that is not read.
func (lk *look) put(b *index.Batch, d index.Document) error {
	err := b.Put(lk.scope, d)
	if !errors.Is(err, index.ErrBounds) {
		return err
	}
	r := lk.known[d.ID]
	r.Why, r.Note = textBounds, ""
	lk.known[d.ID] = r
	lk.unread = append(lk.unread, Unread{d.ID, textBounds})
	if d, err = document(d.ID, nil, r); err != nil {
		return err
	}
	return b.Put(lk.scope, d)
}

// read reads a file. The error says that it is left for the next look; what is in the index of it
// stays until then.
func (lk *look) read(ctx context.Context, name string) (content, record, error) {
	c, was, err := lk.w.l.read(ctx, lk.walk.root, name)
	if !errors.Is(err, ErrHurried) {
		delete(lk.w.tries, lk.scope+"/"+name)
	} else if lk.w.lastTry(lk.scope+"/"+name, was) {
		err = unread(text.ClipBytes(err.Error(), maxWhy))
	}
	var why unread
	switch {
	case errors.As(err, &why):
		lk.unread = append(lk.unread, Unread{name, string(why)})
		return content{}, record{stamp: was, Why: string(why), Reads: lk.reads(name)}, nil
	case errors.Is(err, errChanged):
		lk.w.soon = true
		lk.later(name, "")
		return content{}, record{}, err
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrHurried):
		lk.later(name, err.Error())
		return content{}, record{}, err
	case err != nil:
		if ctx.Err() == nil {
			lk.w.l.o.Log.Warn().Err(err).Str("corpus", lk.folder.Name).Str("file", name).Msg("a file of a corpus cannot be read at the moment")
		}
		lk.later(name, textMoment)
		return content{}, record{}, err
	}
	if c.note != "" {
		lk.unread = append(lk.unread, Unread{name, c.note})
	}
	return c, record{stamp: was, Note: c.note, Reads: lk.reads(name)}, nil
}

// later leaves a file to the next look; why is "" for one that is being changed.
func (lk *look) later(name, why string) {
	lk.w.failed[lk.scope+"/"+name] = why
	if why != "" {
		lk.unread = append(lk.unread, Unread{name, why})
	}
}

func document(name string, passages []passage.Passage, r record) (index.Document, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return index.Document{}, err
	}
	var head strings.Builder
	for i := 0; i < len(passages) && head.Len() < sample; i++ {
		head.WriteString(passages[i].Text)
		head.WriteString("\n")
	}
	return index.Document{
		ID: name, Title: strings.TrimSuffix(name, path.Ext(name)), Language: words.Detect(head.String(), words.None),
		Data: data, Passages: passages,
	}, nil
}

// tell puts the progress into the state of the corpus, and now and then into the log.
func (lk *look) tell() {
	files, bytes := 0, int64(0)
	for _, r := range lk.known {
		if r.Why == "" {
			files++
			bytes += r.Size
		}
	}
	lk.w.l.change(lk.folder.Name, func(s *State) {
		s.Files, s.Bytes, s.Waiting, s.Notes, s.Trouble = files, bytes, len(lk.pending), lk.walk.notes(), ""
	})
	if len(lk.pending) > 0 && time.Since(lk.told) >= tells {
		lk.told = time.Now()
		lk.w.l.o.Log.Info().Str("corpus", lk.folder.Name).Int("done", lk.total-len(lk.pending)).Int("files", lk.total).Msg("indexing goes on")
	}
}

// end tells that a corpus was looked at as a whole.
func (lk *look) end() {
	slices.SortFunc(lk.unread, func(a, b Unread) int { return cmp.Compare(a.File, b.File) })
	shown := min(len(lk.unread), maxUnread)
	var files int
	first := false
	lk.w.l.change(lk.folder.Name, func(s *State) {
		first = s.Looked.IsZero()
		s.Unread, s.MoreUnread, s.Looked = slices.Clone(lk.unread[:shown]), len(lk.unread)-shown, time.Now()
		files = s.Files
	})
	if lk.changed > 0 || first {
		lk.w.l.o.Log.Info().Str("corpus", lk.folder.Name).Int("files", files).Int("unread", len(lk.unread)).Msg("the corpus is indexed")
	}
}

func (lk *look) close() {
	if lk.walk != nil {
		_ = lk.walk.root.Close()
	}
}
