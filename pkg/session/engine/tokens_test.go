package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/session"
	"parley/pkg/session/bolt"
	"parley/pkg/session/bolt/bolttest"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

func tokenHash(n byte) session.TokenHash { return session.TokenHash(bytes.Repeat([]byte{n}, 32)) }

func token(id string, created int64) session.Token {
	return session.Token{
		ID: id, Person: "web:ada", Note: "a note", Level: "read", Models: []string{"big"}, Rights: []string{"approve"},
		Created: time.Unix(created, 0).UTC(), Expires: time.Unix(created+60, 0).UTC(),
	}
}

func putToken(t *testing.T, e *local.Engine, n byte, id string, created int64) {
	t.Helper()
	if err := e.Tokens().PutToken(t.Context(), tokenHash(n), token(id, created)); err != nil {
		t.Fatal(err)
	}
}

// TestTokens: one is found by its hash alone, until it is revoked, over a reopen; ids and
// hashes are not given twice.
func TestTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := opened(t, dir)
	putToken(t, e, 2, "second", 2000)
	putToken(t, e, 1, "first", 1000)
	for name, err := range map[string]error{
		"id":   e.Tokens().PutToken(t.Context(), tokenHash(3), token("first", 1)),
		"hash": e.Tokens().PutToken(t.Context(), tokenHash(1), token("third", 1)),
	} {
		if !errors.Is(err, session.ErrTaken) {
			t.Errorf("the same %s: %v", name, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, dir)
	all, err := e.Tokens().TokenList(t.Context())
	if diff := cmp.Diff([]session.Token{token("first", 1000), token("second", 2000)}, all); diff != "" || err != nil {
		t.Errorf("%s, %v", diff, err)
	}
	found, valid, err := e.Tokens().FindToken(tokenHash(1))
	if err != nil || found.ID != "first" || valid.Err() != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	if one, err := e.Tokens().Token("first"); err != nil || one.Person != "web:ada" {
		t.Errorf("by its id: %+v, %v", one, err)
	}
	_, other, err := e.Tokens().FindToken(tokenHash(2))
	if err != nil {
		t.Fatal(err)
	}
	ended, err := e.Tokens().RevokeToken(t.Context(), "first")
	if err != nil || ended.ID != "first" || valid.Err() == nil || other.Err() != nil {
		t.Errorf("%+v, %v; the work goes on: %v, that of another: %v", ended, err, valid.Err() == nil, other.Err() == nil)
	}
	if _, _, err := e.Tokens().FindToken(tokenHash(1)); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := e.Tokens().Token("first"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a revoked token by its id: %v", err)
	}
	if _, err := e.Tokens().RevokeToken(t.Context(), "first"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
}

// TestTokensAreBounded, and one that is revoked makes room.
func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	withStore(t, dir, func(s kv.Store) error {
		return s.Update(func(k kv.Tx) error {
			tx := table.NewWrite(k, time.Now())
			for i := range session.MaxTokens {
				hash := session.TokenHash(fmt.Appendf(nil, "%032d", i))
				tok := token(fmt.Sprint("t", i), int64(i))
				if err := tx.Put(table.Tokens, hash[:], &tok); err != nil {
					return err
				}
			}
			return nil
		})
	})
	e := opened(t, dir)
	if err := e.Tokens().PutToken(t.Context(), tokenHash(1), token("more", 1)); !errors.Is(err, session.ErrFull) {
		t.Errorf("one more: %v", err)
	}
	if _, err := e.Tokens().RevokeToken(t.Context(), "t7"); err != nil {
		t.Fatal(err)
	}
	putToken(t, e, 1, "more", 1)
}

// TestDamagedToken: its program is not let in, the others are, and the check of the store
// tells of it.
func TestDamagedToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := opened(t, dir)
	putToken(t, e, 1, "first", 1000)
	putToken(t, e, 2, "second", 2000)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	withStore(t, dir, func(s kv.Store) error {
		return s.Update(func(k kv.Tx) error {
			hash := tokenHash(1)
			return k.Put(table.Tokens, hash[:], table.Seal(table.Tokens, []byte("another"), []byte(`{"id":"first"}`)))
		})
	})
	e = opened(t, dir)
	if _, _, err := e.Tokens().FindToken(tokenHash(1)); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a damaged token: %v", err)
	}
	if _, _, err := e.Tokens().FindToken(tokenHash(2)); err != nil {
		t.Errorf("another one: %v", err)
	}
}

// TestFsckOfTokens: two of one id are a broken promise.
func TestFsckOfTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	withStore(t, dir, func(s kv.Store) error {
		return s.Update(func(k kv.Tx) error {
			tx := table.NewWrite(k, time.Now())
			same := token("same", 1)
			one, two := tokenHash(1), tokenHash(2)
			return errors.Join(tx.Put(table.Tokens, one[:], &same), tx.Put(table.Tokens, two[:], &same))
		})
	})
	r, err := bolt.Check(t.Context(), dir)
	if err != nil || !slices.ContainsFunc(r.Problems, func(p string) bool { return bytes.Contains([]byte(p), []byte("tokens")) }) {
		t.Errorf("%v, %v", r.Problems, err)
	}
}

// TestTokensInAStoreOfAnEarlierBuild: it has none, and takes some.
func TestTokensInAStoreOfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir)
	if err := bolttest.DropBuckets(dir, "tokens"); err != nil {
		t.Fatal(err)
	}
	e := opened(t, dir)
	if all, err := e.Tokens().TokenList(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	putToken(t, e, 1, "first", 1)
}

// TestSessionsOfBrowsers: a new one takes the place of those that are over and of the oldest
// of its person; tokens stay.
func TestSessionsOfBrowsers(t *testing.T) {
	t.Parallel()
	e := opened(t, t.TempDir())
	put := func(n byte, who string, created int64) {
		s := session.Token{
			ID: fmt.Sprint("s", n), Page: true, Person: who, Created: time.Unix(created, 0).UTC(), Expires: time.Unix(created+3600, 0).UTC(),
		}
		if err := e.Tokens().PutToken(t.Context(), tokenHash(n), s); err != nil {
			t.Fatal(err)
		}
	}
	known := func(n byte) bool {
		_, _, err := e.Tokens().FindToken(tokenHash(n))
		return err == nil
	}
	putToken(t, e, 200, "token", 1)
	put(1, "web:ben", 1)
	for n := range byte(session.MaxSessions + 1) {
		put(10+n, "web:ada", 5000+int64(n))
	}
	if !known(11) || known(1) || known(10) || !known(200) {
		t.Errorf("the second: %t, over: %t, the oldest: %t, the token: %t", known(11), known(1), known(10), known(200))
	}
}
