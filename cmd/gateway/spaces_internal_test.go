package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/channels"
)

// TestAnInboxThatIsSomethingElse: a program of the chat has put a link to another of
// its folders in the place of the inbox, whose content counts as from outside.
func TestAnInboxThatIsSomethingElse(t *testing.T) {
	t.Parallel()
	fetch, space := keeper(t, 500e6, map[string]func(context.Context) (io.Reader, error){"one": has("one text")})
	other := filepath.Join(space, "other")
	if err := os.MkdirAll(other, 0o700); err != nil {
		t.Fatal(err)
	}
	box := filepath.Join(space, inboxDir)
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
	s := &spaces{dir: t.TempDir()}
	if err := syscall.Mkfifo(filepath.Join(s.dir, "HEARTBEAT.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() { read <- s.heartbeatFile() }()
	select {
	case text := <-read:
		if text != "" {
			t.Errorf("it reads %q", text)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the look has not come back")
	}
}

// TestUnreadUpdatesFollowNoLink: what is kept goes into a file of the state folder alone.
func TestUnreadUpdatesFollowNoLink(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	u := &unread{dir: t.TempDir(), log: zerolog.Nop()}
	if err := os.Symlink(outside, filepath.Join(u.dir, unreadFile)); err != nil {
		t.Fatal(err)
	}
	u.keep("telegram", "help")("gift", []byte(`{}`))
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was made through a link")
	}
}

// TestTheStatusNamesWhatDoesNotGetOn as a line for a person and as JSON.
func TestTheStatusNamesWhatDoesNotGetOn(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(statusReport{Trouble: []string{"AGENT.md is empty"}, Slow: []agent.SlowTurn{{
		Turn: "t1", Address: channels.Address{Channel: "telegram", Account: "7", Chat: "9"}, Since: time.Now(), Stage: "reads the conversation",
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var r statusReport
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	text := r.text()
	for _, want := range []string{"slow turn\ttelegram:7/9 has not asked the model since ", ": it reads the conversation; /stop there ends it\n", "trouble\tAGENT.md is empty\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing: %s", want, text)
		}
	}
	if !strings.Contains(string(raw), `"slow_turns":[{"turn":"t1"`) || slowTurn != time.Minute {
		t.Errorf("a turn counts as slow after %v: %s", slowTurn, raw)
	}
}
