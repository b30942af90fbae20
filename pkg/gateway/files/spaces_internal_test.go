package files

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestAnInboxThatIsSomethingElse: a program of the chat has put a link to another of
// its folders in the place of the inbox; the content there counts as from outside.
func TestAnInboxThatIsSomethingElse(t *testing.T) {
	t.Parallel()
	fetch, space := keeper(t, 500e6, map[string]func(context.Context) (io.Reader, error){"one": has("one text")})
	other := filepath.Join(space, "other")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	box := filepath.Join(space, Inbox)
	for name, make := range map[string]func() error{
		"a link": func() error { return os.Symlink("other", box) },
		"a pipe": func() error { return syscall.Mkfifo(box, 0o600) },
		"a file": func() error { return os.WriteFile(box, nil, 0o600) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if got := fetch("one", "a.txt", 8); got.Outcome != "could not be fetched" {
			t.Errorf("%s: %+v", name, got)
		}
		if err := os.Remove(box); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(other); err != nil || len(left) > 0 {
		t.Errorf("%d files came into another folder, %v", len(left), err)
	}
	if err := os.Mkdir(box, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(box, "a.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := fetch("one", "a.txt", 8); got.Outcome != "saved as inbox/a-2.txt" {
		t.Errorf("beside a pipe: %+v", got)
	}
}

// TestTheOperatorsFilesWaitForNobody: a pipe in the place of HEARTBEAT.md.
func TestTheOperatorsFilesWaitForNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "HEARTBEAT.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() { read <- HeartbeatFile(dir) }()
	select {
	case text := <-read:
		if text != "" {
			t.Errorf("it reads %q", text)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the look has not come back")
	}
}
