package openat_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/pkg/openat"
)

// place is a folder with one of each kind, and a file beside it.
func place(t *testing.T) *os.Root {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "space")
	at := func(name string) string { return filepath.Join(dir, name) }
	file := func(name string) error { return os.WriteFile(name, []byte("text"), 0o600) }
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(top, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	err = errors.Join(
		os.MkdirAll(at("folder/deep"), 0o700), file(at("file")), file(at("folder/deep/file")),
		file(filepath.Join(top, "outside")), file(at("twice")), os.Link(at("twice"), at("again")),
		os.Symlink("file", at("link")), os.Symlink("../outside", at("out")), os.Symlink("nowhere", at("dangling")),
		os.Symlink("folder", at("linked")), os.Symlink("..", at("up")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Rename(filepath.Join(top, "s"), at("socket")),
	)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestFile(t *testing.T) {
	t.Parallel()
	root := place(t)
	anyError := errors.New("any")
	for _, c := range []struct {
		name         string
		file, linked error // of File and of Linked; nil: it opens
	}{
		{"file", nil, nil},
		{"folder/deep/file", nil, nil},
		{"./folder//deep/file", nil, nil},
		{"link", openat.ErrLink, nil},
		{"linked/deep/file", openat.ErrLink, nil},
		{"twice", openat.ErrManyNames, nil},
		{"pipe", openat.ErrNotRegular, openat.ErrNotRegular},
		{"socket", openat.ErrNotRegular, openat.ErrNotRegular},
		{"folder", openat.ErrNotRegular, openat.ErrNotRegular},
		{"missing", fs.ErrNotExist, fs.ErrNotExist},
		{"dangling", openat.ErrLink, fs.ErrNotExist},
		{"out", openat.ErrLink, anyError},
		{"up/outside", openat.ErrLink, anyError},
		{"../outside", anyError, anyError},
		{"/etc/passwd", anyError, anyError},
		{"", anyError, anyError},
	} {
		for way, want := range map[string]error{"File": c.file, "Linked": c.linked} {
			open := openat.File
			if way == "Linked" {
				open = openat.Linked
			}
			f, info, err := open(root, c.name)
			switch {
			case err == nil && want == nil:
				if info.Size() != 4 {
					t.Errorf("%s %q has %d bytes", way, c.name, info.Size())
				}
				_ = f.Close()
			case err == nil:
				t.Errorf("%s %q opens", way, c.name)
			case want == nil || want != anyError && !errors.Is(err, want): //nolint:errorlint // it is that one
				t.Errorf("%s %q: %v, want %v", way, c.name, err, want)
			}
		}
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	root := place(t)
	for name, good := range map[string]bool{
		"folder": true, "folder/deep": true, ".": true,
		"linked": false, "linked/deep": false, "up": false, "pipe": false, "file": false, "missing": false, "..": false,
	} {
		sub, err := openat.Folder(root, name)
		if (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
		if err == nil {
			_ = sub.Close()
		}
	}
}

func TestOwnAndAppend(t *testing.T) {
	t.Parallel()
	dir := place(t).Name()
	for name, c := range map[string]struct{ own, appends bool }{
		"file": {true, true}, "out": {true, false}, "link": {true, false}, "twice": {true, false}, "new": {false, true},
		"pipe": {}, "folder": {}, "socket": {}, "dangling": {},
	} {
		f, _, err := openat.Own(filepath.Join(dir, name))
		if (err == nil) != c.own {
			t.Errorf("Own %q: %v", name, err)
		}
		_ = f.Close()
		f, err = openat.Append(filepath.Join(dir, name), 0o600)
		if (err == nil) != c.appends {
			t.Errorf("Append %q: %v", name, err)
		}
		_ = f.Close()
	}
	if _, err := os.Lstat(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("Append has made the file that a link names")
	}
}

// TestFileIsSafeFromASwap opens a name that changes all the time.
func TestFileIsSafeFromASwap(t *testing.T) {
	t.Parallel()
	root := place(t)
	dir := root.Name()
	secret := []byte("secret")
	if err := os.WriteFile(filepath.Join(dir, "secret"), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	at, next := filepath.Join(dir, "swapped"), filepath.Join(dir, "next")
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !stop.Load(); i++ {
			switch i % 4 {
			case 0:
				_ = os.Symlink("secret", next)
			case 2:
				_ = syscall.Mkfifo(next, 0o600)
			default:
				_ = os.WriteFile(next, []byte("text"), 0o600)
			}
			_ = os.Rename(next, at)
		}
	})
	defer wg.Wait()
	defer stop.Store(true)
	const enough = 1_000
	opened, refused := 0, 0
	for end := time.Now().Add(time.Minute); opened < enough || refused < enough; {
		b, err := openat.Head(root, "swapped", 100)
		switch {
		case err == nil:
			opened++
		case !errors.Is(err, fs.ErrNotExist): // else it has not come yet
			refused++
		}
		if bytes.Equal(b, secret) {
			t.Fatal("a link was followed")
		}
		if time.Now().After(end) {
			t.Fatalf("the file was opened %d times and refused %d times in a minute", opened, refused)
		}
	}
}

// TestRoot opens the operator's folders, over links too, waits for no pipe, and takes no name for the root of the machine.
func TestRoot(t *testing.T) {
	t.Parallel()
	dir := place(t).Name()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	link, pipe := filepath.Join(dir, "a-link"), filepath.Join(dir, "a-pipe")
	if err := errors.Join(os.Symlink("folder", link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		dir + "/folder": real + "/folder", dir + "/folder/": real + "/folder", link: real + "/folder",
		"/": "/", pipe: "", dir + "/file": "", "": "",
	} {
		root, err := openat.Root(name)
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if at, err := openat.PlaceOf(root); at != want {
			t.Errorf("%q leads to %q, want %q: %v", name, at, want, err)
		}
		_ = root.Close()
	}
}
