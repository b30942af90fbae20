package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/pkg/audit"
)

// TestTampering changes the files; every way shows, with its place.
func TestTampering(t *testing.T) {
	t.Parallel()
	const size = 1000 // four rows a segment
	whole := t.TempDir()
	fill(t, audit.Options{Dir: whole, SegmentBytes: size}, 1, 12)
	if n := len(segmentsOf(t, whole)); n != 3 {
		t.Fatalf("%d segments", n)
	}
	second := func(edit func([]string) []string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			path := segmentsOf(t, dir)[1]
			lines := strings.SplitAfter(strings.TrimSuffix(read(t, path), "\n"), "\n")
			write(t, path, strings.TrimSuffix(strings.Join(edit(lines), ""), "\n")+"\n")
		}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		seq    uint64
		what   string
	}{
		"a word is changed": {second(func(l []string) []string {
			l[1] = strings.Replace(l[1], `"outcome":"ok"`, `"outcome":"no"`, 1)
			return l
		}), 6, "changed"},
		"a space is added":    {second(func(l []string) []string { l[1] = strings.Replace(l[1], ",", ", ", 1); return l }), 6, "changed"},
		"a field is repeated": {second(func(l []string) []string { l[1] = strings.Replace(l[1], "{", `{"tool":"x",`, 1); return l }), 6, "changed"},
		"a number is changed": {second(func(l []string) []string { l[1] = strings.Replace(l[1], `"seq":6`, `"seq":7`, 1); return l }), 6, "changed"},
		"a hash is changed": {
			second(func(l []string) []string { l[1] = l[1][:len(l[1])-6] + "000" + l[1][len(l[1])-3:]; return l }),
			6, "changed",
		},
		"a line is no row":   {second(func(l []string) []string { l[1] = "hello\n"; return l }), 6, "no row"},
		"a line is empty":    {second(func(l []string) []string { return slices.Insert(l, 1, "\n") }), 6, "no row"},
		"a row is deleted":   {second(func(l []string) []string { return slices.Delete(l, 1, 2) }), 6, "missing"},
		"a row is repeated":  {second(func(l []string) []string { return slices.Insert(l, 1, l[0]) }), 5, "out of order"},
		"rows are exchanged": {second(func(l []string) []string { l[1], l[2] = l[2], l[1]; return l }), 6, "missing"},
		"two lines are one":  {second(func(l []string) []string { l[1] = strings.TrimSuffix(l[1], "\n"); return l }), 6, "no row"},
		"a row of another log": {func(t *testing.T, dir string) {
			t.Helper()
			other := t.TempDir()
			fill(t, audit.Options{Dir: other, SegmentBytes: size}, 101, 112)
			write(t, segmentsOf(t, dir)[1], read(t, segmentsOf(t, other)[1]))
		}, 5, "replaced"},
		"a segment is deleted": {func(t *testing.T, dir string) {
			t.Helper()
			remove(t, segmentsOf(t, dir)[1])
		}, 5, "missing"},
		"the first segment is deleted": {func(t *testing.T, dir string) {
			t.Helper()
			remove(t, segmentsOf(t, dir)[0])
		}, 1, "missing"},
		"the last segment is deleted": {func(t *testing.T, dir string) {
			t.Helper()
			remove(t, segmentsOf(t, dir)[2])
		}, 9, "cut off"},
		"the last rows are cut off": {func(t *testing.T, dir string) {
			t.Helper()
			path := segmentsOf(t, dir)[2]
			lines := strings.SplitAfter(read(t, path), "\n")
			write(t, path, strings.Join(lines[:2], ""))
		}, 11, "cut off"},
		"the last row is cut in two": {func(t *testing.T, dir string) {
			t.Helper()
			path := segmentsOf(t, dir)[2]
			text := read(t, path)
			write(t, path, text[:len(text)-9])
		}, 12, "cut off"},
		"all rows are deleted": {func(t *testing.T, dir string) {
			t.Helper()
			remove(t, segmentsOf(t, dir)...)
		}, 1, "cut off"},
		"the chain is made anew": {func(t *testing.T, dir string) {
			t.Helper()
			other := t.TempDir()
			fill(t, audit.Options{Dir: other, SegmentBytes: size}, 101, 112)
			for i, path := range segmentsOf(t, dir) {
				write(t, path, read(t, segmentsOf(t, other)[i]))
			}
		}, 12, "made anew"},
		"the head is deleted": {func(t *testing.T, dir string) {
			t.Helper()
			remove(t, filepath.Join(dir, "head"))
		}, 12, "head is missing"},
		"the head is no head": {func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "head"), "{}")
		}, 12, "head cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "audit")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			c.change(t, dir)
			broken(t, dir, c.seq, c.what)
			// A start heals no damage: rows missing before are missing after it.
			fill(t, audit.Options{Dir: dir, SegmentBytes: size}, 13, 14)
			if _, err := audit.Verify(t.Context(), dir, 0); err == nil && !strings.HasPrefix(name, "the head") && name != "the chain is made anew" {
				t.Error("after the next start nothing shows")
			}
			last := uint64(0)
			noted := false
			err := audit.Read(t.Context(), dir, func(r audit.Row, err error) error {
				if err == nil {
					last, noted = r.Seq, noted || r.Kind == audit.KindAudit
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if c.seq >= 9 && !noted {
				t.Error("the next start noted nothing")
			}
			if _, err := audit.Verify(t.Context(), dir, last); err != nil {
				t.Errorf("the chain does not go on: %v", err)
			}
		})
	}
}

// TestBadLastLine: a row whose line is whole but not its own ends the segment; the
// numbers go on behind it.
func TestBadLastLine(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"no row":        "hello\n",
		"a huge number": fmt.Sprintf(`{"seq":18446744073709551615,"prev":"","hash":"%064d"}`+"\n", 0),
		"a huge line":   strings.Repeat("x", 100_000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fill(t, audit.Options{Dir: dir}, 1, 3)
			path := segmentsOf(t, dir)[0]
			write(t, path, read(t, path)+line)
			fill(t, audit.Options{Dir: dir}, 4, 4)
			broken(t, dir, 4, "")
			r, err := audit.Verify(t.Context(), dir, 4)
			if name == "no row" && (err != nil || r.Rows != 2 || r.OwnTroubles != 1) {
				t.Errorf("%+v, %v", r, err)
			}
			if n := len(segmentsOf(t, dir)); n != 2 {
				t.Errorf("%d segments", n)
			}
		})
	}
}

func TestReadGoesOnBehindABadLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, audit.Options{Dir: dir}, 1, 3)
	path := segmentsOf(t, dir)[0]
	write(t, path, strings.Replace(read(t, path), "call-2", "call-9", 1))
	var got []string
	stop := errors.New("enough")
	err := audit.Read(t.Context(), dir, func(r audit.Row, err error) error {
		got = append(got, fmt.Sprint(r.Call, err != nil))
		if len(got) == 3 {
			return stop
		}
		return nil
	})
	if want := []string{"call-1false", "call-9true", "call-3false"}; !errors.Is(err, stop) || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := audit.Verify(ended, dir, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// FuzzVerify: whatever stands in a segment, looking ends, and only the rows
// themselves are good.
func FuzzVerify(f *testing.F) {
	f.Add("")
	f.Add("\n")
	f.Add(`{"seq":1,"prev":"` + strings.Repeat("0", 64) + `","hash":"` + strings.Repeat("0", 64) + `"}` + "\n")
	f.Add(strings.Repeat("{", 40_000) + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "head"), twoRowsHead)
		write(t, filepath.Join(dir, fmt.Sprintf("%020d.jsonl", 1)), twoRows+text)
		r, err := audit.Verify(t.Context(), dir, 0)
		if torn := !strings.Contains(text, "\n"); torn && err != nil || !torn && err == nil {
			t.Fatalf("%q: %+v, %v", text, r, err)
		}
		closeLog(t, open(t, audit.Options{Dir: dir}))
	})
}

// twoRows are a log and its head.
const (
	twoRows = `{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"start","prev":"0000000000000000000000000000000000000000000000000000000000000000","hash":"cb6622e863a0ae0326ff64e45a13ca96b3db94276327a4de48382c26dd467282"}` + "\n" +
		`{"seq":2,"time":"2026-01-02T03:04:05Z","kind":"stop","prev":"cb6622e863a0ae0326ff64e45a13ca96b3db94276327a4de48382c26dd467282","hash":"a21edc1b833f6a43132e3dc729a13f5ce3677284265997816f77d8f5d3ba5984"}` + "\n"
	twoRowsHead = `{"seq":                   2,"hash":"a21edc1b833f6a43132e3dc729a13f5ce3677284265997816f77d8f5d3ba5984"}` + "\n"
)

func remove(t *testing.T, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
}
