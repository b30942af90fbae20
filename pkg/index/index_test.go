package index_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/index"
	"parley/pkg/index/passage"
	"parley/pkg/index/words"
)

// doc is a document of one passage a text.
func doc(id string, texts ...string) index.Document {
	d := index.Document{ID: id, Data: []byte("data of " + id)}
	for i, text := range texts {
		d.Passages = append(d.Passages, passage.Passage{Heading: fmt.Sprintf("Part %d", i), First: 10*i + 1, Last: 10*i + 5, Text: text})
	}
	return d
}

func opened(tb testing.TB, path string) *index.Index {
	tb.Helper()
	ix, err := index.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := ix.Close(); err != nil {
			tb.Error(err)
		}
	})
	return ix
}

func fresh(tb testing.TB) *index.Index {
	tb.Helper()
	return opened(tb, filepath.Join(tb.TempDir(), "index"))
}

func update(tb testing.TB, ix *index.Index, change func(b *index.Batch) error) {
	tb.Helper()
	if err := ix.Update(tb.Context(), change); err != nil {
		tb.Fatal(err)
	}
}

func put(tb testing.TB, ix *index.Index, scope string, docs ...index.Document) {
	tb.Helper()
	update(tb, ix, func(b *index.Batch) error {
		for _, d := range docs {
			if err := b.Put(scope, d); err != nil {
				return err
			}
		}
		return nil
	})
}

func search(tb testing.TB, ix *index.Index, q index.Query) []index.Hit {
	tb.Helper()
	hits, err := ix.Search(tb.Context(), q)
	if err != nil {
		tb.Fatal(err)
	}
	return hits
}

// found are the IDs of the hits, in order.
func found(tb testing.TB, ix *index.Index, scope, text string) []string {
	tb.Helper()
	ids := []string{}
	for _, h := range search(tb, ix, index.Query{Scopes: []string{scope}, Text: text}) {
		ids = append(ids, h.ID)
	}
	return ids
}

func sortedIDs(tb testing.TB, ix *index.Index, text string) []string {
	tb.Helper()
	ids := found(tb, ix, "a", text)
	slices.Sort(ids)
	return ids
}

func TestSearch(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	if !ix.Fresh() {
		t.Error("a new index is not fresh")
	}
	put(t, ix, "a", doc("cats", "Cats sleep all day.", "A cat hunts mice at night."), doc("dogs", "Dogs bark at the night watch."))
	put(t, ix, "a", doc("fish", "Fish neither bark nor sleep. They swim."), doc("empty"))
	for text, want := range map[string][]string{
		"cat": {"cats"}, "CATS hunting": {"cats"}, "night": {"cats", "dogs"}, "bark": {"dogs", "fish"}, "sleeping": {"cats", "fish"},
		"swim sleep": {"cats", "fish"}, "bird": {}, "": {}, "?!": {}, "data": {},
	} {
		if d := cmp.Diff(want, sortedIDs(t, ix, text)); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	if got := found(t, ix, "a", "swim sleep"); got[0] != "fish" {
		t.Errorf("%q come in this order", got)
	}
	hits := search(t, ix, index.Query{Scopes: []string{"a"}, Text: "hunts"})
	want := []index.Hit{{
		Scope: "a", ID: "cats", Data: []byte("data of cats"), Number: 1, Score: hits[0].Score,
		Passage: passage.Passage{Heading: "Part 1", First: 11, Last: 15, Text: "A cat hunts mice at night."},
	}}
	if d := cmp.Diff(want, hits); d != "" {
		t.Error(d)
	}
}

// TestLanguages: documents in several languages are in one scope, and a query is in any of them.
func TestLanguages(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	put(t, ix, "a",
		doc("de", "Die Katze liegt auf dem Tisch, und der Hund ist nicht im Haus."),
		doc("en", "The connection is lost, and that is all that we know of it."),
		doc("ru", "Система сохраняет важные файлы на диске."),
		doc("ja", "文書を検索する方法", "索引"),
		doc("code", "func openIndex(path string) error // see /etc/parley.conf"),
	)
	given := doc("given", "talossa")
	given.Language = words.Finnish
	put(t, ix, "a", given)
	for text, want := range map[string]string{
		"Katzen": "de", "connections": "en", "connected": "en", "важный файл": "ru", "検索": "ja", "文書の検索": "ja", "文": "ja", "引": "ja",
		"openindex": "code", "index": "code", "parley.conf": "code", "conf": "code", "talosta": "given",
	} {
		if got := found(t, ix, "a", text); len(got) != 1 || got[0] != want {
			t.Errorf("%s finds %q, want %s", text, got, want)
		}
	}
}

// TestLimits: the best come first, few of one document, and no more than asked for.
func TestLimits(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	var docs []index.Document
	for i := range 300 {
		pears, plums := strings.Repeat("pear ", i%7), strings.Repeat("plum ", i%5)
		docs = append(docs, doc(fmt.Sprintf("%03d", i), "apple "+pears, "apple apple "+plums, "apple"))
	}
	put(t, ix, "a", docs...)
	for _, c := range []struct{ limit, each, want, documents int }{
		{0, 0, 10, 10}, {5, 0, 5, 5}, {1000, 0, 100, 100}, {100, 2, 100, 50}, {9, 3, 9, 3},
	} {
		hits := search(t, ix, index.Query{Scopes: []string{"a"}, Text: "apple", Limit: c.limit, PerDocument: c.each})
		ids := map[string]bool{}
		for i, h := range hits {
			ids[h.ID] = true
			if i > 0 && h.Score > hits[i-1].Score {
				t.Errorf("hit %d is better than the one before", i)
			}
		}
		if len(hits) != c.want || len(ids) < c.documents {
			t.Errorf("%+v: %d hits of %d documents", c, len(hits), len(ids))
		}
	}
}

// TestBounds: what an index does not take is refused, and changes nothing.
func TestBounds(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	put(t, ix, "a", doc("kept", "word"))
	large := strings.Repeat("x", index.MaxPassage+1)
	backwards := doc("d", "word")
	backwards.Passages[0].Last = 0
	data := doc("d", "word")
	data.Data = []byte(large)
	for name, change := range map[string]func(b *index.Batch) error{
		"no ID":        func(b *index.Batch) error { return b.Put("a", doc("", "word")) },
		"a long ID":    func(b *index.Batch) error { return b.Put("a", doc(large, "word")) },
		"no scope":     func(b *index.Batch) error { return b.Put("", doc("d", "word")) },
		"a long scope": func(b *index.Batch) error { return b.Drop(large) },
		"remove, too":  func(b *index.Batch) error { return b.Remove("", "d") },
		"a large text": func(b *index.Batch) error { return b.Put("a", doc("d", large)) },
		"large data":   func(b *index.Batch) error { return b.Put("a", data) },
		"lines back":   func(b *index.Batch) error { return b.Put("a", backwards) },
		"the 2nd is bad": func(b *index.Batch) error {
			return errors.Join(b.Put("a", doc("d", "word")), b.Put("a", doc("", "word")))
		},
	} {
		if err := ix.Update(t.Context(), change); !errors.Is(err, index.ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, q := range []index.Query{{Text: large}, {Limit: -1}, {PerDocument: -1}, {Scopes: make([]string, 1000)}} {
		if _, err := ix.Search(t.Context(), q); !errors.Is(err, index.ErrBounds) {
			t.Errorf("%+.50v: %v", q, err)
		}
	}
	if got := found(t, ix, "a", "word"); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("then %q are found", got)
	}
}

// TestBare: the words are found, the text is not kept.
func TestBare(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	ix := opened(t, path)
	d := doc("d", "a very particular sentence about zebras")
	d.Bare = true
	put(t, ix, "a", d)
	hits := search(t, ix, index.Query{Scopes: []string{"a"}, Text: "zebra"})
	if len(hits) != 1 || hits[0].Text != "" || hits[0].First != 1 || hits[0].Heading != "Part 0" {
		t.Errorf("found %+v", hits)
	}
	if b, err := os.ReadFile(path); err != nil || bytes.Contains(b, []byte("particular sentence")) {
		t.Errorf("the file holds the text, %v", err)
	}
}

// model is an index that is a map.
type model map[string]map[string]string // scope → ID → word

func (m model) check(t *testing.T, ix *index.Index) {
	t.Helper()
	for scope, docs := range m {
		byWord := map[string][]string{}
		listed := []string{}
		for id, word := range docs {
			byWord[word] = append(byWord[word], id)
			listed = append(listed, id)
		}
		slices.Sort(listed)
		got := []string{}
		for e, err := range ix.Documents(t.Context(), scope) {
			if err != nil || string(e.Data) != "data of "+e.ID {
				t.Fatalf("%+v, %v", e, err)
			}
			got = append(got, e.ID)
		}
		slices.Sort(got)
		if d := cmp.Diff(listed, got); d != "" {
			t.Fatalf("scope %s: %s", scope, d)
		}
		for n := range 5 {
			word := fmt.Sprintf("word%d", n)
			want := byWord[word]
			slices.Sort(want)
			ids := []string{}
			for _, h := range search(t, ix, index.Query{Scopes: []string{scope}, Text: word, Limit: 100}) {
				ids = append(ids, h.ID)
			}
			slices.Sort(ids)
			if d := cmp.Diff(append([]string{}, want...), ids); d != "" {
				t.Fatalf("scope %s, %s: %s", scope, word, d)
			}
		}
	}
}

// TestAgainstAModel makes changes by chance and compares the index with a map: now and then it is
// closed and opened, or purged.
func TestAgainstAModel(t *testing.T) {
	t.Parallel()
	steps := 600
	if testing.Short() {
		steps = 200
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			path := filepath.Join(t.TempDir(), "index")
			ix, err := index.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			m := model{"a": {}, "b": {}, "c": {}}
			for step := range steps {
				update(t, ix, func(b *index.Batch) error { return m.change(b, random) })
				switch random.IntN(60) {
				case 0:
					err = ix.Purge(t.Context())
				case 1:
					if err = ix.Close(); err == nil {
						ix, err = index.Open(path)
					}
					if err == nil && ix.Fresh() {
						t.Errorf("step %d: it began anew", step)
					}
				}
				if err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				if step%20 == 0 || step == steps-1 {
					m.check(t, ix)
				}
			}
			if err := errors.Join(ix.Check(t.Context()), ix.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// change makes some changes in a batch and in the model.
func (m model) change(b *index.Batch, random *rand.Rand) error {
	var errs error
	for range 1 + random.IntN(6) {
		scope, id := []string{"a", "b", "c"}[random.IntN(3)], fmt.Sprintf("id%02d", random.IntN(40))
		switch n := random.IntN(100); {
		case n == 0:
			m[scope] = map[string]string{}
			errs = errors.Join(errs, b.Drop(scope))
		case n < 25:
			delete(m[scope], id)
			errs = errors.Join(errs, b.Remove(scope, id))
		default:
			word := fmt.Sprintf("word%d", random.IntN(5))
			m[scope][id] = word
			errs = errors.Join(errs, b.Put(scope, doc(id, "filler", word+" and more")))
		}
	}
	return errs
}

// TestReadersBesideAWriter: each search sees one state, whatever is written, merged and purged
// meanwhile.
func TestReadersBesideAWriter(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	write := func(n int) {
		update(t, ix, func(b *index.Batch) error { // both documents or none
			return errors.Join(b.Put("a", doc("left", fmt.Sprintf("number%d", n))), b.Put("a", doc("right", fmt.Sprintf("number%d", n))))
		})
	}
	write(0)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				n := 0
				for _, err := range ix.Documents(t.Context(), "a") {
					if err != nil {
						t.Error(err)
						return
					}
					n++
				}
				hits, err := ix.Search(t.Context(), index.Query{Scopes: []string{"a"}, Text: "part"})
				if err != nil || len(hits) != 2 || n != 2 || hits[0].Text != hits[1].Text {
					t.Errorf("%d documents, found %+v, %v", n, hits, err)
					return
				}
			}
		})
	}
	for n := range 150 {
		write(n)
		if n%40 == 0 {
			if err := ix.Purge(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	close(done)
	readers.Wait()
}

func TestClosed(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := ix.Search(t.Context(), index.Query{Scopes: []string{"a"}, Text: "word"})
	for name, err := range map[string]error{
		"search": err,
		"update": ix.Update(t.Context(), func(b *index.Batch) error { return b.Put("a", doc("d", "word")) }),
		"purge":  ix.Purge(t.Context()),
	} {
		if !errors.Is(err, index.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := ix.Close(); err != nil {
		t.Error(err)
	}
}

// TestOneProcess: a file is open once.
func TestOneProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	ix := opened(t, path)
	for _, then := range []func() error{func() error { return nil }, func() error { return ix.Purge(t.Context()) }} {
		if err := then(); err != nil {
			t.Fatal(err)
		}
		if _, err := index.Open(path); !errors.Is(err, index.ErrLocked) {
			t.Errorf("opened twice: %v", err)
		}
	}
}

// TestCancelled: a context that ends stops a purge, and the index is as before.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	put(t, ix, "a", doc("d", "word"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ix.Purge(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("purge: %v", err)
	}
	if err := ix.Update(ctx, func(b *index.Batch) error { return b.Put("a", doc("e", "word")) }); !errors.Is(err, context.Canceled) {
		t.Errorf("update: %v", err)
	}
	if got := found(t, ix, "a", "word"); !slices.Equal(got, []string{"d"}) {
		t.Errorf("then %q are found", got)
	}
}
