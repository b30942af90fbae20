package credentials

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Links are the links of a store. Memory has them all, as it has the tokens.
type Links struct {
	w *writer.Writer

	mu   sync.Mutex // held over a change and the reading that follows
	held atomic.Pointer[map[channels.Address]heldLink]
}

// heldLink is a link with the context of those who follow its chat.
type heldLink struct {
	session.Link

	valid context.Context //nolint:containedctx // its end is the link's
	end   context.CancelFunc
}

func newLinks(w *writer.Writer) *Links {
	l := &Links{w: w}
	l.held.Store(&map[channels.Address]heldLink{})
	return l
}

// PutLink stores a link.
func (l *Links) PutLink(ctx context.Context, link session.Link) error {
	key := table.AddrKey(link.Address)
	return l.change(ctx, func(tx *table.Tx) error {
		have := 0
		eachLink(tx, func(k []byte, other *session.Link) {
			if other.Person == link.Person && !bytes.Equal(k, key) {
				have++
			}
		})
		if have >= session.MaxLinks {
			return fmt.Errorf("link: %w: %s has %d chats on the page", session.ErrFull, link.Person, have)
		}
		return tx.Put(table.Links, key, &link)
	})
}

// EndLinks ends links.
func (l *Links) EndLinks(ctx context.Context, over func(*session.Link) bool) ([]session.Link, error) {
	var ended []session.Link
	err := l.change(ctx, func(tx *table.Tx) error {
		ended = nil
		var keys [][]byte
		eachLink(tx, func(k []byte, link *session.Link) {
			if over(link) {
				keys, ended = append(keys, bytes.Clone(k)), append(ended, *link)
			}
		})
		for _, k := range keys {
			if err := tx.Delete(table.Links, k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}

// Along makes a change of the store that may move or end links, and knows them when it returns.
func (l *Links) Along(ctx context.Context, change func(*table.Tx) error) error {
	return l.change(ctx, change)
}

// LinkAt returns the link of a chat.
func (l *Links) LinkAt(a channels.Address) (session.Link, context.Context, bool) {
	h, ok := (*l.held.Load())[a]
	return h.Link, h.valid, ok
}

// LinksOf returns the links of a person, the oldest first.
func (l *Links) LinksOf(person string) []session.Link {
	var all []session.Link
	held := *l.held.Load()
	for a := range held {
		if h := held[a]; h.Person == person {
			all = append(all, h.Link)
		}
	}
	slices.SortFunc(all, func(a, b session.Link) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return all
}

// change changes the links, and knows it when it returns.
func (l *Links) change(ctx context.Context, change func(*table.Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.w.Do(ctx, change), l.w.View(l.read))
}

// read takes the links into memory, and ends the following of those that are gone.
func (l *Links) read(tx *table.Tx) error {
	before, now := *l.held.Load(), map[channels.Address]heldLink{}
	eachLink(tx, func(k []byte, link *session.Link) {
		if !bytes.Equal(k, table.AddrKey(link.Address)) {
			return
		}
		h, known := before[link.Address]
		if !known || h.ID != link.ID {
			h.valid, h.end = context.WithCancel(context.Background()) //nolint:forbidigo,gosec // the link ends it, beyond any request
		}
		h.Link = *link
		now[link.Address] = h
	})
	l.held.Store(&now)
	for a := range before {
		if stays := now[a]; stays.ID != before[a].ID {
			before[a].end()
		}
	}
	return nil
}

// eachLink tells of each link that can be read: a damaged one shows no chat.
func eachLink(tx *table.Tx, tell func(k []byte, l *session.Link)) {
	tx.Each(table.Links, nil, func(k, _ []byte) bool {
		if link, err := table.Get[session.Link](tx, table.Links, k); err == nil {
			tell(k, link)
		}
		return true
	})
}
