package blocks_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/index/blocks"
)

// file is a table in memory.
func file(tb testing.TB, keys, values []string) ([]byte, blocks.Root) {
	tb.Helper()
	var b bytes.Buffer
	w := blocks.NewWriter(&b)
	table := blocks.NewTable(w)
	for i, k := range keys {
		if err := table.Add([]byte(k), []byte(values[i])); err != nil {
			tb.Fatal(err)
		}
	}
	root, err := table.Finish()
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Bytes(), root
}

func reader(b []byte) blocks.Reader { return blocks.NewReader(bytes.NewReader(b), int64(len(b))) }

// sample are n keys in order, with values that now and then are long.
func sample(n int) (keys, values []string) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		keys = append(keys, fmt.Sprintf("key-%07d-%s", i*3, strings.Repeat("x", random.IntN(20))))
		size := random.IntN(30)
		if i%50 == 0 {
			size = random.IntN(6000)
		}
		values = append(values, strings.Repeat("v", size)+fmt.Sprint(i))
	}
	return keys, values
}

func TestTable(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 100, 5000, 200_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			keys, values := sample(n)
			b, root := file(t, keys, values)
			table := blocks.NewTableReader(reader(b), root)
			if table.Count() != int64(n) {
				t.Fatalf("%d entries, want %d", table.Count(), n)
			}
			var gotKeys, gotValues []string
			c := table.Cursor()
			for err := c.First(); c.Valid() || err != nil; err = c.Next() {
				if err != nil {
					t.Fatal(err)
				}
				if c.Before() != int64(len(gotKeys)) {
					t.Fatalf("%d are before the %d.", c.Before(), len(gotKeys))
				}
				gotKeys, gotValues = append(gotKeys, string(c.Key())), append(gotValues, string(c.Value()))
			}
			if d := cmp.Diff(keys, gotKeys); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(values, gotValues); d != "" {
				t.Error(d)
			}
			lookUp(t, table, keys, values)
		})
	}
}

func lookUp(t *testing.T, table blocks.Table, keys, values []string) {
	t.Helper()
	c := table.Cursor()
	for i := 0; i < len(keys); i += 1 + i/10 {
		v, before, ok, err := table.Get([]byte(keys[i]))
		if err != nil || !ok || before != int64(i) || string(v) != values[i] {
			t.Fatalf("%s: %q, %d, %v, %v", keys[i], v, before, ok, err)
		}
		if _, _, ok, err = table.Get([]byte(keys[i] + "\x00")); ok || err != nil {
			t.Fatalf("found behind %s, %v", keys[i], err)
		}
		if err := c.At(int64(i)); err != nil || string(c.Key()) != keys[i] {
			t.Fatalf("at %d is %s: %v", i, c.Key(), err)
		}
		err = c.Seek([]byte(keys[i] + "\x00"))
		if err != nil || c.Valid() != (i+1 < len(keys)) || c.Valid() && string(c.Key()) != keys[i+1] {
			t.Fatalf("behind %s: %v", keys[i], err)
		}
	}
	if err := c.Seek(nil); err != nil || c.Valid() != (len(keys) > 0) || c.Valid() && string(c.Key()) != keys[0] {
		t.Fatalf("the first: %v", err)
	}
	if err := c.Seek([]byte("z")); err != nil || c.Valid() {
		t.Fatalf("behind the last: %v", err)
	}
	if err := c.At(int64(len(keys))); err != nil || c.Valid() {
		t.Fatalf("at the end: %v", err)
	}
}

func TestTableRefusesDisorder(t *testing.T) {
	t.Parallel()
	table := blocks.NewTable(blocks.NewWriter(&bytes.Buffer{}))
	long := []byte(strings.Repeat("v", 10_000))
	if err := errors.Join(table.Add([]byte("b"), long), table.Add([]byte("c"), long)); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"", "a", "b", "c", "d" + strings.Repeat("x", 5000)} {
		if table.Add([]byte(k), nil) == nil {
			t.Errorf("%.10q is taken behind c", k)
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := blocks.NewWriter(&b)
	var refs []blocks.Ref
	var want [][]byte
	for _, n := range []int{0, 1, blocks.Chunk - 1, blocks.Chunk, blocks.Chunk + 1, 5*blocks.Chunk + 7} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i*7 + n)
		}
		ref, err := w.Stream(blocks.KindPostings, data)
		if err != nil {
			t.Fatal(err)
		}
		refs, want = append(refs, ref), append(want, data)
	}
	if err := w.Flush(); err != nil || w.Offset() != int64(b.Len()) {
		t.Fatal(err, w.Offset(), b.Len())
	}
	var buf []byte
	for i, ref := range refs {
		got, err := reader(b.Bytes()).Stream(blocks.KindPostings, ref, buf)
		if err != nil || !bytes.Equal(got, want[i]) {
			t.Errorf("stream %d: %v", i, err)
		}
		buf = got
		if _, err := reader(b.Bytes()).Stream(blocks.KindText, ref, nil); len(got) > 0 && !errors.Is(err, blocks.ErrDamaged) {
			t.Errorf("read as another kind: %v", err)
		}
	}
	end := int64(b.Len())
	for _, ref := range []blocks.Ref{
		{Off: -1, Len: 1}, {Off: 0, Len: -1}, {Off: 0, Len: 1 << 62}, {Off: 1 << 62, Len: 1}, {Off: end, Len: 1},
	} {
		if _, err := reader(b.Bytes()).Stream(blocks.KindPostings, ref, nil); !errors.Is(err, blocks.ErrDamaged) {
			t.Errorf("%+v: %v", ref, err)
		}
		if _, err := reader(b.Bytes()).Block(blocks.KindPostings, ref, nil); !errors.Is(err, blocks.ErrDamaged) {
			t.Errorf("%+v: %v", ref, err)
		}
	}
}

// TestEveryByteIsChecked changes each byte of a table: the table is read as it was, or the damage
// is found.
func TestEveryByteIsChecked(t *testing.T) {
	t.Parallel()
	keys, values := sample(300)
	b, root := file(t, keys, values)
	for i := range b {
		damagedFile := slices.Clone(b)
		damagedFile[i] ^= 1 << (i % 8)
		c := blocks.NewTableReader(reader(damagedFile), root).Cursor()
		n := 0
		err := c.First()
		for ; err == nil && c.Valid(); err = c.Next() {
			n++
		}
		if !errors.Is(err, blocks.ErrDamaged) {
			t.Fatalf("byte %d changed: %d entries, %v", i, n, err)
		}
	}
}

// FuzzTable reads hostile tables with good checksums.
func FuzzTable(f *testing.F) {
	keys, values := sample(300)
	b, root := file(f, keys, values)
	f.Add(b, root.Append(nil), []byte(keys[100]))
	f.Fuzz(func(_ *testing.T, b, rootBytes, key []byte) {
		r := blocks.Unchecked(reader(b))
		fields := blocks.NewFields(rootBytes)
		root := fields.Root(r.Size())
		if fields.Err() != nil {
			return
		}
		table := blocks.NewTableReader(r, root)
		_, _, _, _ = table.Get(key)
		c := table.Cursor()
		_ = c.At(root.Count / 2)
		entries := 0
		for err := c.First(); err == nil && c.Valid() && entries < 100_000; err = c.Next() {
			entries++
		}
		_, _ = r.Stream(blocks.KindText, root.Ref, nil)
	})
}
