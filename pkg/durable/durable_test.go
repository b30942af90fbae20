package durable_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"parley/pkg/durable"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func check(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %v", filepath.Base(path), info.Mode())
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for _, s := range []string{"a longer first text", "second", ""} {
		if err := durable.Replace(path, text(s)); err != nil {
			t.Fatal(err)
		}
		check(t, path, s)
	}
}

// TestReplaceFails checks that the former file stays and that nothing unfinished is left.
func TestReplaceFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := durable.Replace(path, text("former")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the source broke off")
	err := durable.Replace(path, func(w io.Writer) error { return errors.Join(text("half")(w), broken) })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v, want %v", err, broken)
	}
	check(t, path, "former")
	if _, err := os.Lstat(path + durable.Unfinished); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished file: %v, want it removed", err)
	}
	if err := durable.Replace(filepath.Join(path, "below a file"), text("x")); err == nil {
		t.Error("a file was written below a file")
	}
}

func TestWriteEmptiesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for _, s := range []string{"a longer first text", "second"} {
		if err := durable.Write(path, text(s)); err != nil {
			t.Fatal(err)
		}
		check(t, path, s)
	}
}

func TestFillCloses(t *testing.T) {
	t.Parallel()
	for _, want := range []error{nil, errors.New("no content")} {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := durable.Fill(f, func(io.Writer) error { return want }); !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
		if err := f.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("closing it again: %v, want that it is closed", err)
		}
	}
}

func TestSyncDirs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := errors.Join(durable.SyncDir(dir), durable.SyncRoot(root)); err != nil {
		t.Error(err)
	}
	if err := durable.SyncDir(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}
