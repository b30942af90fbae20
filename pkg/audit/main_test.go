package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/pkg/audit"
)

// childWord, before a folder, makes this test binary a process that writes a log until it is killed.
const childWord = "child"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == childWord {
		writeForever(os.Args[2])
	}
	goleak.VerifyTestMain(m)
}

// writeForever says on standard output which rows are on the disk.
func writeForever(dir string) {
	l, err := audit.Open(audit.Options{Dir: dir, SegmentBytes: 20 << 10})
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		call := fmt.Sprintf("call-%d", i)
		if err := l.Append(audit.Row{Kind: audit.KindCall, Call: call}); err != nil && !errors.Is(err, audit.ErrFull) {
			panic(err)
		}
		if err := l.AppendSync(context.Background(), audit.Row{Kind: audit.KindBegin, Call: call}); err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintln(os.Stdout, call)
	}
}

func open(t *testing.T, o audit.Options) *audit.Log {
	t.Helper()
	l, err := audit.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func closeLog(t *testing.T, l *audit.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// fill writes rows number from to to, each in a sync of its own.
func fill(t *testing.T, o audit.Options, from, to int) {
	t.Helper()
	l := open(t, o)
	for i := from; i <= to; i++ {
		if err := l.AppendSync(t.Context(), row(i)); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, l)
}

func row(i int) audit.Row {
	return audit.Row{Kind: audit.KindCall, Channel: "telegram", Chat: "42", Tool: "tool", Call: fmt.Sprintf("call-%d", i), Outcome: "ok"}
}

// all reads every row; a bad one fails the test.
func all(t *testing.T, dir string) []audit.Row {
	t.Helper()
	var rows []audit.Row
	if err := audit.Read(t.Context(), dir, func(r audit.Row, err error) error {
		rows = append(rows, r)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// good checks the whole chain.
func good(t *testing.T, dir string) audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// broken wants a chain that is not whole, and why.
func broken(t *testing.T, dir string, seq uint64, what string) {
	t.Helper()
	_, err := audit.Verify(t.Context(), dir, 0)
	bad, ok := errors.AsType[*audit.BrokenError](err)
	if !ok || bad.Seq != seq || !strings.Contains(bad.What, what) {
		t.Fatalf("got %v, want row %d: %s", err, seq, what)
	}
}

func segmentsOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
