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

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Tokens are the tokens of a store. [New] makes them.
//
// Memory has them all: they are looked up for each request. It is read anew after each
// change, also one that failed: a failed commit may have reached the disk.
type Tokens struct {
	*Links

	w *writer.Writer

	mu   sync.Mutex // held over a change and the reading that follows
	held atomic.Pointer[memory]
}

var _ session.Credentials = (*Tokens)(nil)

// memory has the tokens. It does not change.
type memory struct {
	all  map[session.TokenHash]held
	byID map[string]session.TokenHash
}

// held is a token with the context of the work in its name.
type held struct {
	session.Token

	valid context.Context //nolint:containedctx // its end is the token's
	end   context.CancelFunc
}

// New reads the tokens of a store.
func New(w *writer.Writer) (*Tokens, error) {
	t := &Tokens{Links: newLinks(w), w: w}
	t.held.Store(&memory{})
	return t, w.View(func(tx *table.Tx) error { return errors.Join(t.read(tx), t.Links.read(tx)) })
}

// PutToken stores a token.
func (t *Tokens) PutToken(ctx context.Context, hash session.TokenHash, token session.Token) error {
	return t.change(ctx, func(tx *table.Tx) error {
		if err := tidy(tx, token); err != nil {
			return err
		}
		_, all, err := find(tx, token.ID)
		switch {
		case err == nil, tx.Has(table.Tokens, hash[:]):
			return fmt.Errorf("token %s: %w", token.ID, session.ErrTaken)
		case !errors.Is(err, session.ErrNotFound):
			return err
		case all >= session.MaxTokens:
			return fmt.Errorf("token %s: %w: revoke one of %d", token.ID, session.ErrFull, all)
		}
		return tx.Put(table.Tokens, hash[:], &token)
	})
}

// RevokeToken ends a token.
func (t *Tokens) RevokeToken(ctx context.Context, id string) (session.Token, error) {
	var ended session.Token
	err := t.change(ctx, func(tx *table.Tx) error {
		key, _, err := find(tx, id)
		if err != nil {
			return err
		}
		token, err := table.Get[session.Token](tx, table.Tokens, key)
		if err != nil {
			return err
		}
		ended = *token
		return tx.Delete(table.Tokens, key)
	})
	if err != nil {
		return session.Token{}, err
	}
	return ended, nil
}

// tidy makes room for a session: those that are over go, and the oldest of its person.
func tidy(tx *table.Tx, next session.Token) error {
	if !next.Page {
		return nil
	}
	var over [][]byte
	var own []stored
	tx.Each(table.Tokens, nil, func(k, _ []byte) bool {
		token, err := table.Get[session.Token](tx, table.Tokens, k)
		switch {
		case err != nil || !token.Page:
		case !next.Created.Before(token.Expires):
			over = append(over, bytes.Clone(k))
		case token.Person == next.Person:
			own = append(own, stored{bytes.Clone(k), *token})
		}
		return true
	})
	slices.SortFunc(own, func(a, b stored) int { return a.Created.Compare(b.Created) })
	for i := range max(0, len(own)-session.MaxSessions+1) {
		over = append(over, own[i].key)
	}
	for _, k := range over {
		if err := tx.Delete(table.Tokens, k); err != nil {
			return err
		}
	}
	return nil
}

// stored is a token with its key.
type stored struct {
	key []byte
	session.Token
}

// find finds the key of a token by its id, and counts all tokens.
func find(tx *table.Tx, id string) (key []byte, all int, err error) {
	tx.Each(table.Tokens, nil, func(k, _ []byte) bool {
		all++
		if token, err := table.Get[session.Token](tx, table.Tokens, k); err == nil && token.ID == id {
			key = bytes.Clone(k)
		}
		return true
	})
	if key == nil {
		return nil, all, fmt.Errorf("token %s: %w", id, session.ErrNotFound)
	}
	return key, all, nil
}

// change changes the tokens, and knows it when it returns.
func (t *Tokens) change(ctx context.Context, change func(*table.Tx) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(t.w.Do(ctx, change), t.w.View(t.read))
}

// read takes the tokens into memory, and ends the work of those that are gone.
func (t *Tokens) read(tx *table.Tx) error {
	before, now := t.held.Load().all, &memory{map[session.TokenHash]held{}, map[string]session.TokenHash{}}
	tx.Each(table.Tokens, nil, func(k, _ []byte) bool {
		token, err := table.Get[session.Token](tx, table.Tokens, k)
		if err != nil || len(k) != len(session.TokenHash{}) {
			return true
		}
		hash := session.TokenHash(k)
		h, known := before[hash]
		if !known {
			h.valid, h.end = context.WithCancel(context.Background()) //nolint:forbidigo,gosec // the token ends it, beyond any request
		}
		h.Token = *token
		now.all[hash], now.byID[h.ID] = h, hash
		return true
	})
	t.held.Store(now)
	for hash := range before {
		if _, stays := now.all[hash]; !stays {
			before[hash].end()
		}
	}
	return nil
}

// FindToken returns the token of a secret.
func (t *Tokens) FindToken(hash session.TokenHash) (session.Token, context.Context, error) {
	h, ok := t.held.Load().all[hash]
	if !ok {
		return session.Token{}, nil, session.ErrNotFound
	}
	return h.Token, h.valid, nil
}

// Token returns the token with an id.
func (t *Tokens) Token(id string) (session.Token, error) {
	all := t.held.Load()
	hash, ok := all.byID[id]
	if !ok {
		return session.Token{}, session.ErrNotFound
	}
	return all.all[hash].Token, nil
}

// TokenList returns all tokens, the oldest first.
func (t *Tokens) TokenList(ctx context.Context) ([]session.Token, error) {
	var all []session.Token
	var bad []*table.RecordError
	err := t.w.View(func(tx *table.Tx) error {
		bad = table.Collect(tx, table.Tokens, func(token *session.Token) { all = append(all, *token) })
		return nil
	})
	t.w.SetAside(ctx, bad)
	slices.SortFunc(all, func(a, b session.Token) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return all, err
}
