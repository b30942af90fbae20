package index_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/index"
)

// canary is a word of one chat.
func canary(chat int) string { return fmt.Sprintf("canary%03dword", chat) }

// chatter are the documents of a chat; some are the same in each chat.
func chatter(chat int) []index.Document {
	var docs []index.Document
	for i := range 12 {
		docs = append(docs, doc(fmt.Sprintf("message%02d", i),
			fmt.Sprintf("We speak about the %s and the weather, number %d.", canary(chat), i),
			strings.Repeat(fmt.Sprintf("Common words of %s. ", canary(chat)), 30)))
	}
	return docs
}

func scopeOf(chat int) string { return fmt.Sprintf("chat%03d", chat) }

// TestNoWordCrosses: 40 chats in one index; a search in one finds the documents of that one, in the
// order and with the scores that they would have alone.
func TestNoWordCrosses(t *testing.T) {
	t.Parallel()
	const chats = 40
	together := fresh(t)
	for chat := range chats {
		put(t, together, scopeOf(chat), chatter(chat)...)
	}
	update(t, together, func(b *index.Batch) error { return b.Put(scopeOf(0)+"\x00", doc("near", canary(0))) })
	for chat := range chats {
		for other := range chats {
			if got := found(t, together, scopeOf(chat), canary(other)); (len(got) > 0) != (chat == other) {
				t.Fatalf("chat %d finds %q of chat %d", chat, got, other)
			}
		}
		alone := fresh(t)
		put(t, alone, scopeOf(chat), chatter(chat)...)
		q := index.Query{Scopes: []string{scopeOf(chat)}, Text: "common weather number 7 " + canary(chat), Limit: 100, PerDocument: 5}
		if d := cmp.Diff(search(t, alone, q), search(t, together, q)); d != "" {
			t.Fatalf("chat %d, alone and together: %s", chat, d)
		}
		for e, err := range together.Documents(t.Context(), scopeOf(chat)) {
			if err != nil || !strings.HasPrefix(e.ID, "message") {
				t.Fatal(e, err)
			}
		}
		if err := alone.Close(); err != nil {
			t.Fatal(err)
		}
	}
	both := search(t, together, index.Query{Scopes: []string{scopeOf(3), scopeOf(5), scopeOf(3), "unknown"}, Text: "weather", Limit: 100})
	count := map[string]int{}
	for _, h := range both {
		count[h.Scope]++
	}
	if d := cmp.Diff(map[string]int{scopeOf(3): 12, scopeOf(5): 12}, count); d != "" {
		t.Error(d)
	}
}

// TestPurgeLeavesNoTrace: after a purge the file has no byte of what was removed. It is the file of
// an index that never had it, whatever happened before.
func TestPurgeLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 7))
		never, forgot := filepath.Join(t.TempDir(), "never"), filepath.Join(t.TempDir(), "forgot")
		clean, used := opened(t, never), opened(t, forgot)
		for chat := range 5 {
			if chat != 2 {
				put(t, clean, scopeOf(chat), chatter(chat)...)
			}
		}
		var all []func(b *index.Batch) error
		for chat := range 5 {
			for _, d := range chatter(chat) {
				all = append(all, func(b *index.Batch) error { return b.Put(scopeOf(chat), d) })
			}
			all = append(all, func(b *index.Batch) error {
				extra := doc(fmt.Sprint("extra", chat), "a secretword that goes")
				return errors.Join(b.Put(scopeOf(chat), extra), b.Put(scopeOf(chat), doc("message03", "another secretword")))
			})
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for batch := range slices.Chunk(all, 1+random.IntN(6)) {
			update(t, used, func(b *index.Batch) error {
				var errs error
				for _, change := range batch {
					errs = errors.Join(errs, change(b))
				}
				return errs
			})
		}
		for chat := range 5 {
			update(t, used, func(b *index.Batch) error {
				return errors.Join(b.Remove(scopeOf(chat), fmt.Sprint("extra", chat)), b.Put(scopeOf(chat), chatter(chat)[3]))
			})
		}
		update(t, used, func(b *index.Batch) error { return b.Drop(scopeOf(2)) })
		before := everyWord(t, forgot)
		if err := errors.Join(used.Purge(t.Context()), clean.Purge(t.Context())); err != nil {
			t.Fatal(err)
		}
		after := everyWord(t, forgot)
		for _, word := range []string{canary(2), "secretword", scopeOf(2)} {
			if !strings.Contains(before, word) || strings.Contains(after, word) {
				t.Errorf("%s: before the purge %v, after it %v", word, strings.Contains(before, word), strings.Contains(after, word))
			}
		}
		a, errA := os.ReadFile(never)
		b, errB := os.ReadFile(forgot)
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
			t.Errorf("seed %d: the files differ, %d and %d bytes, %v", seed, len(a), len(b), err)
		}
		if entries, err := os.ReadDir(filepath.Dir(forgot)); err != nil || len(entries) != 1 {
			t.Errorf("beside the file are %v, %v", entries, err)
		}
	}
}

// everyWord is all bytes of a file, with the packed texts unpacked wherever one may begin.
func everyWord(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(b)
	for i := range b {
		if b[i] == 1 { // before a packed text
			plain, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[i+1:])), 1<<16))
			if len(plain) > 30 {
				all = append(all, plain...)
			}
		}
	}
	return string(all)
}

// TestPurgeOfNothing: an index without documents purges to an empty one.
func TestPurgeOfNothing(t *testing.T) {
	t.Parallel()
	path, other := filepath.Join(t.TempDir(), "index"), filepath.Join(t.TempDir(), "index")
	ix, never := opened(t, path), opened(t, other)
	put(t, ix, "a", doc("d", "word"))
	update(t, ix, func(b *index.Batch) error { return b.Drop("a") })
	if err := errors.Join(ix.Purge(t.Context()), never.Purge(t.Context())); err != nil {
		t.Fatal(err)
	}
	a, errA := os.ReadFile(path)
	b, errB := os.ReadFile(other)
	if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) || ix.Size().Documents != 0 {
		t.Errorf("%d and %d bytes, %+v, %v", len(a), len(b), ix.Size(), err)
	}
}

// TestTheFileStaysSmall: replaced documents do not make the file grow without an end.
func TestTheFileStaysSmall(t *testing.T) {
	t.Parallel()
	ix := fresh(t)
	text := strings.Repeat("some words of a text that is replaced again and again ", 200)
	random := rand.New(rand.NewPCG(1, 2))
	var largest int64
	for round := range 120 {
		var docs []index.Document
		for i := range 20 {
			noise := make([]byte, 3000)
			for j := range noise {
				noise[j] = 'a' + byte(random.IntN(26))
			}
			docs = append(docs, doc(fmt.Sprint(i), text, string(noise)))
		}
		put(t, ix, "a", docs...)
		size := ix.Size()
		largest = max(largest, size.File)
		if size.Documents != 20 || size.Segments > 40 {
			t.Fatalf("round %d: %+v", round, size)
		}
	}
	if largest > 6<<20 {
		t.Errorf("the file grew to %d bytes", largest)
	}
}
