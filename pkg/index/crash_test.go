package index_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/pkg/index"
	"parley/pkg/index/blocks"
)

// TestMain runs the tests, or writes an index until it is killed: the arguments are then writerWord
// and the path.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != writerWord {
		goleak.VerifyTestMain(m)
		return
	}
	if err := writeOnAndOn(os.Args[2]); err != nil {
		say("error", err)
	}
}

// say is how the writer speaks to the test that started it.
func say(words ...any) { _, _ = fmt.Fprintln(os.Stdout, words...) }

const writerWord = "write-an-index"

// writeOnAndOn puts pairs of documents, one pair with each update, and says when an update is done. Old
// pairs are removed, and now and then the index is purged.
func writeOnAndOn(path string) error {
	ctx := context.Background()
	ix, err := index.Open(path)
	if err != nil {
		return err
	}
	n := 0
	for e, err := range ix.Documents(ctx, "a") {
		if err != nil {
			return err
		}
		if i, _ := strconv.Atoi(e.ID[len("left"):]); strings.HasPrefix(e.ID, "left") {
			n = max(n, i)
		}
	}
	for n++; ; n++ {
		err := ix.Update(ctx, func(b *index.Batch) error {
			var errs error
			for _, side := range []string{"left", "rest"} {
				errs = errors.Join(errs, b.Put("a", doc(fmt.Sprintf("%s%06d", side, n), fmt.Sprintf("number%d of the pairs", n))))
				errs = errors.Join(errs, b.Remove("a", fmt.Sprintf("%s%06d", side, n-20)))
			}
			return errs
		})
		if err == nil && n%17 == 0 {
			err = ix.Purge(ctx)
		}
		if err != nil {
			return err
		}
		say("done", n)
	}
}

// TestKill kills a process that writes, again and again: the index opens as it was before or after the
// update under way.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := 24
	if testing.Short() {
		rounds = 6
	}
	path := filepath.Join(t.TempDir(), "index")
	done := 0
	for round := range rounds {
		cmd := exec.CommandContext(t.Context(), os.Args[0], writerWord, path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 1 + round*7%30 {
			if !lines.Scan() {
				t.Fatal("the writer is gone")
			}
		}
		_ = cmd.Process.Kill()
		for more := true; more; more = lines.Scan() {
			word, n, _ := strings.Cut(lines.Text(), " ")
			if word != "done" {
				t.Fatal(lines.Text())
			}
			done, _ = strconv.Atoi(n)
		}
		_ = cmd.Wait()
		checkPairs(t, path, done)
	}
}

// checkPairs opens an index of which the writer said that the pair done is in it.
func checkPairs(t *testing.T, path string, done int) {
	t.Helper()
	ix, err := index.Open(path)
	if err != nil || ix.Fresh() {
		t.Fatalf("after the kill: %v, fresh %v", err, ix.Fresh())
	}
	defer ix.Close()
	if err := ix.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + ".part"); err == nil {
		t.Error("an unfinished file is left")
	}
	count := map[string]int{}
	newest := ""
	for e, err := range ix.Documents(t.Context(), "a") {
		if err != nil {
			t.Fatal(err)
		}
		count[e.ID[len("left"):]]++
		newest = max(newest, e.ID[len("left"):])
	}
	for n, sides := range count {
		if sides != 2 {
			t.Errorf("of pair %s there are %d", n, sides)
		}
	}
	last, _ := strconv.Atoi(newest)
	if last < done || last > done+1 || len(count) > 20 {
		t.Errorf("%d pairs up to %d; the writer said %d", len(count), last, done)
	}
	if got := found(t, ix, "a", fmt.Sprintf("number%d", last)); !slices.Equal(got, []string{"left" + newest, "rest" + newest}) {
		t.Errorf("the last pair is found as %q", got)
	}
}

// write is one change of a file.
type write struct {
	off  int64
	data []byte // nil: cut off at off
}

// recorder notes what is written.
type recorder struct {
	index.Disk
	writes *[]write
}

func (r recorder) WriteAt(b []byte, off int64) (int, error) {
	*r.writes = append(*r.writes, write{off, slices.Clone(b)})
	return r.Disk.WriteAt(b, off)
}

func (r recorder) Truncate(size int64) error {
	*r.writes = append(*r.writes, write{off: size})
	return r.Disk.Truncate(size)
}

// apply makes the first n bytes of the writes.
func apply(file []byte, writes []write, n int) []byte {
	file = slices.Clone(file)
	for _, w := range writes {
		if w.data == nil {
			file = file[:min(w.off, int64(len(file)))]
			continue
		}
		part := w.data[:min(n, len(w.data))]
		if grow := int(w.off) + len(part) - len(file); grow > 0 && len(part) > 0 {
			file = append(file, make([]byte, grow)...)
		}
		copy(file[min(int(w.off), len(file)):], part)
		if n -= len(part); n == 0 {
			break
		}
	}
	return file
}

// TestKilledAtEachByte cuts the writes of an update off at each byte: the file opens as before the
// update or as after it, and takes the update then.
func TestKilledAtEachByte(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 13
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "index")
	var writes []write
	ix, err := index.OpenOn(path, func(d index.Disk) index.Disk { return recorder{d, &writes} })
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	for i := range 6 { // the eighth segment makes one of all of them
		put(t, ix, "a", doc(fmt.Sprint("early", i), "the word stays"))
	}
	change := func(b *index.Batch) error {
		return errors.Join(b.Put("a", doc("new", "the word comes")), b.Remove("a", "early1"), b.Put("b", doc("else", "elsewhere")))
	}
	for range 2 {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writes = nil
		was := sortedIDs(t, ix, "word")
		update(t, ix, change)
		is := sortedIDs(t, ix, "word")
		size := 0
		for _, w := range writes {
			size += len(w.data)
		}
		for n := 0; n <= size; n += step {
			torn := filepath.Join(dir, fmt.Sprint("torn", n))
			checkTorn(t, torn, apply(before, writes, n), [][]string{was, is}, change)
		}
	}
}

func checkTorn(t *testing.T, path string, content []byte, want [][]string, change func(b *index.Batch) error) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	ix, err := index.Open(path)
	if err != nil || ix.Fresh() {
		t.Fatalf("%s: %v, fresh %v", path, err, ix.Fresh())
	}
	defer ix.Close()
	got := sortedIDs(t, ix, "word")
	if !slices.Equal(got, want[0]) && !slices.Equal(got, want[1]) {
		t.Fatalf("%s: found %q", path, got)
	}
	if err := ix.Check(t.Context()); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	update(t, ix, change)
	if got := sortedIDs(t, ix, "word"); !slices.Equal(got, want[1]) {
		t.Fatalf("%s: found %q after the update", path, got)
	}
}

// TestPowerCut: where the newest manifest did not reach the disk, the one before holds.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	var writes []write
	ix, err := index.OpenOn(path, func(d index.Disk) index.Disk { return recorder{d, &writes} })
	if err != nil {
		t.Fatal(err)
	}
	put(t, ix, "a", doc("old", "the word"))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writes = nil
	put(t, ix, "a", doc("new", "the word"))
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range writes[:len(writes)-1] {
		writes[i].data = make([]byte, len(writes[i].data))
	}
	if err := os.WriteFile(path, apply(before, writes, 1<<30), 0o600); err != nil {
		t.Fatal(err)
	}
	ix = opened(t, path)
	if got := found(t, ix, "a", "word"); ix.Fresh() || !slices.Equal(got, []string{"old"}) {
		t.Errorf("fresh %v, found %q", ix.Fresh(), got)
	}
}

// TestEachByteDamaged changes each byte of a file: every search gives what it gave, or says that the
// file is damaged. Emptied and filled again, the index works.
func TestEachByteDamaged(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 7
	}
	dir := t.TempDir()
	ix := opened(t, filepath.Join(dir, "whole"))
	docs := []index.Document{doc("one", "the word stays", "in parts"), doc("two", strings.Repeat("the word ", 300))}
	put(t, ix, "a", docs...)
	put(t, ix, "a", doc("three", "a word more"))
	put(t, ix, "b", doc("four", "elsewhere"))
	want := search(t, ix, index.Query{Scopes: []string{"a"}, Text: "words"})
	whole, err := os.ReadFile(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for i := 0; i < len(whole); i += step {
		b := slices.Clone(whole)
		b[i] ^= 1 << (i % 8)
		outcomes[damagedAt(t, filepath.Join(dir, fmt.Sprint(i)), b, want, docs)]++
	}
	if len(outcomes) != 3 {
		t.Errorf("the outcomes are %v", outcomes)
	}
}

// damagedAt opens and searches a damaged file.
func damagedAt(t *testing.T, path string, b []byte, want []index.Hit, docs []index.Document) string {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	ix, err := index.Open(path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer ix.Close()
	outcome := "as it was"
	hits, err := ix.Search(t.Context(), index.Query{Scopes: []string{"a"}, Text: "words"})
	switch {
	case ix.Fresh():
		outcome = "anew"
	case errors.Is(err, blocks.ErrDamaged):
		outcome = "found damaged"
		if err := ix.Reset(t.Context()); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	case err != nil || cmp.Diff(want, hits) != "" && len(hits) != 2: // the state before the last documents
		t.Fatalf("%s: %v\n%s", path, err, cmp.Diff(want, hits))
	}
	if outcome != "as it was" {
		put(t, ix, "a", docs...)
		if got := sortedIDs(t, ix, "word"); !slices.Equal(got, []string{"one", "two"}) {
			t.Fatalf("%s: found %q", path, got)
		}
	}
	return outcome
}

// TestAnotherForm: a file of another version is made anew, as is one that is something else.
func TestAnotherForm(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"before": "PARLEYX1" + strings.Repeat("x", 500), "after": "PARLEYX9" + strings.Repeat("x", 500),
		"short": "PARL", "text": strings.Repeat("text\n", 100),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		ix := opened(t, path)
		put(t, ix, "a", doc("d", "word"))
		if got := found(t, ix, "a", "word"); !ix.Fresh() || len(got) != 1 {
			t.Errorf("%s: fresh %v, found %q", name, ix.Fresh(), got)
		}
	}
	if _, err := index.Open(filepath.Join(t.TempDir(), "no", "folder")); err == nil {
		t.Error("an index opens in a missing folder")
	}
}

// full is a disk on which there is room for some bytes only.
type full struct {
	index.Disk
	left *int
}

func (f full) WriteAt(b []byte, off int64) (int, error) {
	n := min(len(b), *f.left)
	*f.left -= n
	if _, err := f.Disk.WriteAt(b[:n], off); err != nil || n < len(b) {
		return n, errors.Join(err, errors.New("no space left"))
	}
	return n, nil
}

// TestFullDisk: an update that has no room fails, and the index stays as it was and works on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	left := 1 << 20
	path := filepath.Join(t.TempDir(), "index")
	ix, err := index.OpenOn(path, func(d index.Disk) index.Disk { return full{d, &left} })
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	put(t, ix, "a", doc("old", "the word"))
	for room := 0; room < 150; room += 11 {
		left = room
		add := func(b *index.Batch) error { return b.Put("a", doc("new", "the word")) }
		if err := ix.Update(t.Context(), add); err == nil {
			t.Fatalf("with room for %d bytes it worked", room)
		}
		if err := ix.Purge(t.Context()); err == nil {
			t.Fatalf("with room for %d bytes it was purged", room)
		}
		if got := found(t, ix, "a", "word"); !slices.Equal(got, []string{"old"}) {
			t.Fatalf("with room for %d bytes: found %q", room, got)
		}
	}
	left = 1 << 20
	put(t, ix, "a", doc("new", "the word"))
	if got := sortedIDs(t, ix, "word"); !slices.Equal(got, []string{"new", "old"}) {
		t.Errorf("found %q", got)
	}
	if err := ix.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
