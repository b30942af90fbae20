package index_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/pkg/index"
	"parley/pkg/index/blocks"
)

// hostile is a file that a fuzzer changes, with the places of its blocks.
func hostile(tb testing.TB) (content []byte, places []index.Place) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "index")
	ix, err := index.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	var docs []index.Document
	for i := range 300 {
		docs = append(docs, doc(fmt.Sprintf("doc%03d", i), "the word "+strings.Repeat("again ", i%9), fmt.Sprintf("number%d 文書を探す", i)))
	}
	put(tb, ix, "a", docs...)
	put(tb, ix, "b", doc("else", "elsewhere"))
	put(tb, ix, "a", docs[3], docs[5])
	places, err = index.Places(ix)
	if err := errors.Join(err, ix.Close()); err != nil {
		tb.Fatal(err)
	}
	content, err = os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return content, places
}

// TestPlaces: the fuzzer knows blocks of each kind, and their checksums.
func TestPlaces(t *testing.T) {
	t.Parallel()
	content, places := hostile(t)
	kinds := map[blocks.Kind]int{}
	for _, p := range places {
		kinds[p.Kind]++
		if blocks.Sum(p.Kind, content[p.Off:p.Off+p.Len]) != binary.LittleEndian.Uint32(content[p.Off+p.Len:]) {
			t.Fatalf("%+v is no block", p)
		}
	}
	for k := blocks.KindLeaf; k < blocks.KindManifest; k++ {
		if kinds[k] == 0 {
			t.Errorf("no block of kind %d", k)
		}
	}
}

// TestHostileBlocks changes bytes in each block, and makes its checksum right.
func TestHostileBlocks(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	content, places := hostile(t)
	values, each := []byte{0, 0xff}, int64(4)
	if testing.Short() {
		values, each = []byte{0xff}, 1
	}
	path := filepath.Join(t.TempDir(), "index")
	for i, p := range places {
		for off := int64(0); off < p.Len; off += 1 + (p.Len+int64(i))/each {
			for _, v := range values {
				b := slices.Clone(content)
				b[p.Off+off] = v
				seal(b, p)
				useHostile(t, path, b)
			}
		}
	}
}

// seal makes the checksum of a block right.
func seal(b []byte, p index.Place) {
	binary.LittleEndian.PutUint32(b[p.Off+p.Len:], blocks.Sum(p.Kind, b[p.Off:p.Off+p.Len]))
}

// FuzzFile changes blocks of a file and makes their checksums right: whatever is in them, each call
// ends with a result or with the error of a damaged file, without much memory.
func FuzzFile(f *testing.F) {
	content, places := hostile(f)
	dir := f.TempDir()
	f.Add([]byte{0, 0, 0, 0xff, 0, 1, 0, 0})
	for i := 0; i < len(places); i += 1 + len(places)/10 {
		f.Add([]byte{byte(i), 0, 0, 0xff, byte(i), 0, 1, 0x80})
	}
	n := 0
	f.Fuzz(func(t *testing.T, edits []byte) {
		b := slices.Clone(content)
		for edit := range slices.Chunk(edits[:len(edits)/4*4], 4) {
			p := places[int(edit[0])%len(places)]
			b[p.Off+int64(binary.BigEndian.Uint16(edit[1:]))%p.Len] = edit[3]
			seal(b, p)
		}
		n++
		path := filepath.Join(dir, fmt.Sprint(os.Getpid(), n))
		useHostile(t, path, b)
	})
}

// FuzzBytes opens files of any bytes.
func FuzzBytes(f *testing.F) {
	content, _ := hostile(f)
	dir := f.TempDir()
	f.Add(content)
	f.Add(content[:200])
	n := 0
	f.Fuzz(func(t *testing.T, b []byte) {
		n++
		useHostile(t, filepath.Join(dir, fmt.Sprint(os.Getpid(), n)), b)
	})
}

// maxHostile is the memory that the calls on a hostile file may take together.
const maxHostile = 64 << 20

// hasty is a disk that does not wait.
type hasty struct{ index.Disk }

func (hasty) Sync() error { return nil }

func useHostile(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ix, err := index.OpenOn(path, func(d index.Disk) index.Disk { return hasty{d} })
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	fine := func(what string, err error) {
		if err != nil && !errors.Is(err, blocks.ErrDamaged) && !errors.Is(err, index.ErrBounds) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, scope := range []string{"a", "b"} {
		for _, text := range []string{"words again", "number7 文", ""} {
			_, err := ix.Search(t.Context(), index.Query{Scopes: []string{scope}, Text: text, PerDocument: 2})
			fine("search", err)
		}
		for _, err := range ix.Documents(t.Context(), scope) {
			fine("documents", err)
		}
	}
	fine("check", ix.Check(t.Context()))
	fine("update", ix.Update(t.Context(), func(b *index.Batch) error {
		return errors.Join(b.Put("a", doc("doc003", "anew")), b.Remove("a", "doc004"))
	}))
	fine("purge", ix.Purge(t.Context()))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > maxHostile {
		t.Errorf("a file of %d bytes took %d bytes of memory", len(b), took)
	}
}
