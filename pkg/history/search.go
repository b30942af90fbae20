package history

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/pkg/fair"
	"parley/pkg/index"
	"parley/pkg/index/blocks"
	"parley/pkg/session"
)

// ErrBusy says that too many searches of this owner wait already.
var ErrBusy = errors.New("too many searches wait already")

const (
	// How many hits of the index are read to find those of an answer, and how often anew where some of
	// them are no more.
	candidates = 50
	rounds     = 4
	// How many bytes of an entry a hit shows.
	maxPiece = 800
)

// Query is a search.
type Query struct {
	// Session is the conversation that asks: its chat is searched.
	Session string
	// Owner shares the places, Waits is as in [fair.Places.Take].
	Owner string
	Waits func() (over func())
	Text  string
	// Limit is the number of hits.
	Limit int
}

// Hit is an entry that was found.
type Hit struct {
	// Session is the conversation of the entry.
	Session string
	Entry   session.Entry
	// Piece is the part of its text that has the words, redacted.
	Piece string
}

// Found is the result of a search, the best hit first.
type Found struct {
	Hits []Hit
	// Behind says that the index lacks entries yet: the next search goes on.
	Behind bool
	// Unread counts the entries of the chat that are damaged.
	Unread uint64
}

// Search finds entries of the chat of a session.
func (h *History) Search(ctx context.Context, q Query) (Found, error) {
	free, err := h.places.Take(ctx, q.Owner, q.Waits)
	if errors.Is(err, fair.ErrFull) {
		return Found{}, ErrBusy
	}
	if err != nil {
		return Found{}, err
	}
	defer free()
	info, err := h.o.Store.Get(ctx, q.Session)
	if err != nil {
		return Found{}, err
	}
	sessions, err := h.o.Store.Left(ctx, info.Chat, maxLeft)
	if err != nil {
		return Found{}, err
	}
	ix, err := h.open()
	if err != nil {
		return Found{}, err
	}
	sessions = append([]session.Info{info}, sessions...)
	var found Found
	for range 2 { // once more where the index was damaged and is empty now
		damaged := false
		err = h.anew(ctx, ix, func() (err error) {
			if err = h.sweepDue(ctx, ix); err == nil {
				found, err = h.search(ctx, ix, info.Chat, sessions, &q)
			}
			damaged = errors.Is(err, blocks.ErrDamaged)
			return err
		})
		if err != nil || !damaged {
			break
		}
	}
	return found, err
}

func (h *History) search(ctx context.Context, ix *index.Index, chat string, sessions []session.Info, q *Query) (Found, error) {
	var found Found
	var err error
	if found.Behind, found.Unread, err = h.catchUp(ctx, ix, chat, sessions); err != nil {
		return Found{}, err
	}
	words := newMatcher(q.Text)
	for range rounds {
		hits, err := ix.Search(ctx, index.Query{Scopes: []string{wordsScope(chat)}, Text: q.Text, Limit: q.Limit + candidates})
		if err != nil {
			return Found{}, fmt.Errorf("search the conversations: %w", err)
		}
		var gone []string
		found.Hits = found.Hits[:0]
		for i := 0; i < len(hits) && len(found.Hits) < q.Limit; i++ {
			hit, there, err := h.read(ctx, &hits[i], words, sessions)
			if err != nil {
				return Found{}, err
			}
			if !there {
				gone = append(gone, hits[i].ID)
				continue
			}
			found.Hits = append(found.Hits, hit)
		}
		if len(gone) == 0 {
			break
		}
		err = ix.Update(ctx, func(b *index.Batch) error {
			for _, id := range gone {
				if err := b.Remove(wordsScope(chat), id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return Found{}, err
		}
	}
	return found, nil
}

// read reads the entry of a hit. There is false where the entry is not to be found by these words any more.
func (h *History) read(ctx context.Context, hit *index.Hit, words *matcher, sessions []session.Info) (found Hit, there bool, err error) {
	id, seq := split(hit.ID)
	if !slices.ContainsFunc(sessions, func(s session.Info) bool { return s.Session == id }) {
		return Hit{}, false, nil
	}
	e, err := h.entry(ctx, id, seq)
	if err != nil || e == nil || e.Undone {
		return Hit{}, false, err
	}
	if at, _ := binary.Varint(hit.Data); e.Time.UnixNano() != at {
		return Hit{}, false, nil
	}
	piece, there := words.piece(h.o.Redact(TextOf(e)), hit.Number)
	return Hit{Session: id, Entry: *e, Piece: piece}, there, nil
}

// entry is one entry of a session, or nil where it is damaged or missing.
func (h *History) entry(ctx context.Context, id string, seq uint64) (found *session.Entry, err error) {
	err = h.o.Store.Back(ctx, id, seq+1, func(e session.Entry) bool {
		if e.Seq == seq {
			found = &e
		}
		return false
	})
	if errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	return found, err
}

// Entry is the entry with a name, and its text, redacted. The conversation that asks has to be of the
// same chat. [session.ErrNotFound]: there is no such entry, or it was taken out; [session.ErrCorrupt]: it
// is damaged.
func (h *History) Entry(ctx context.Context, asking, name string) (Hit, error) {
	id, seq := split(name)
	from, err := h.o.Store.Get(ctx, asking)
	if err != nil {
		return Hit{}, err
	}
	of, err := h.o.Store.Get(ctx, id)
	if err == nil && (of.Chat != from.Chat || seq == 0 || seq > of.Entries) {
		err = session.ErrNotFound
	}
	if err != nil {
		return Hit{}, err
	}
	e, err := h.entry(ctx, id, seq)
	switch {
	case err != nil:
		return Hit{}, err
	case e == nil:
		return Hit{}, session.ErrCorrupt
	case e.Undone:
		return Hit{}, session.ErrNotFound
	}
	return Hit{Session: id, Entry: *e, Piece: h.o.Redact(TextOf(e))}, nil
}

// Name is the name of an entry: SESSION/NUMBER.
func Name(id string, seq uint64) string { return id + "/" + strconv.FormatUint(seq, 10) }

// split takes a name apart; what is no name is that of no entry.
func split(name string) (id string, seq uint64) {
	id, number, _ := strings.Cut(name, "/")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil || seq == 1<<64-1 || Name(id, seq) != name {
		return "", 0
	}
	return id, seq
}
