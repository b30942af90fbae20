package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/faketelegram"
)

// TestStrangersFilesAreNotFetched has a stranger and a member send the same.
func TestStrangersFilesAreNotFetched(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	file := faketelegram.File{Name: "a.txt", Data: []byte("some text")}
	c.srv.Private(c.srv.User("Eve")).Document(file, "")
	c.taken()
	if n := c.srv.Count("getFile"); n != 0 {
		t.Errorf("%d files of a stranger were asked for", n)
	}
	c.member.Document(file, "read this")
	c.messages(c.member, c.spoken+1)
	if n := c.srv.Count("download"); n != 1 {
		t.Errorf("%d files were fetched, want the member's", n)
	}
	c.close()
}

// TestUnknownKindsAreKept where the operator finds them, and told once.
func TestUnknownKindsAreKept(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for range 3 {
		c.srv.Bot().Push("message",
			map[string]any{
				"message_id": 5,
				"date":       1,
				"from":       map[string]any{"id": 9},
				"chat":       map[string]any{"id": 9, "type": "private"},
				"invention":  "of tomorrow",
			})
	}
	c.srv.Bot().Push("message", "garbage")
	c.taken()
	log := c.close()
	if n := strings.Count(log, "message invention"); n != 1 {
		t.Errorf("logged %d times: %s", n, log)
	}
	b, err := os.ReadFile(filepath.Join(c.dir, "state", "unread.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(b), `"kind":"message invention"`) != 3 || strings.Count(string(b), "of tomorrow") != 3 || !strings.Contains(string(b), `"message":"garbage"`) {
		t.Errorf("kept: %s", b)
	}
}

// TestAPipeInTheStateFolderHoldsNobodyUp: useless updates cannot be kept then, and
// people's messages are still answered.
func TestAPipeInTheStateFolderHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	if err := syscall.Mkfifo(filepath.Join(c.dir, "state", "unread.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.srv.Bot().Push("message", "garbage")
	c.member.Say("hello")
	c.messages(c.member, c.spoken+1)
	if log := c.close(); !strings.Contains(log, "cannot be kept") {
		t.Errorf("the log does not say so: %s", log)
	}
}
