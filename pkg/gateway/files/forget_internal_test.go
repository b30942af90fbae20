package files

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// receiptsOf gives each message its outcome.
type receiptsOf map[string]error

func (r receiptsOf) Receipt(_ context.Context, id string) (channels.Receipt, error) {
	return channels.Receipt{}, r[id]
}

// TestForgettingTakesTheFilesOfOneChat: its folders go, also one that a program has closed, with the contents
// that wait to be sent and the updates of its account. Those of another chat, and the owners' folder, stay.
func TestForgettingTakesTheFilesOfOneChat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := NewSpaces(dir)
	gone, former, stays := channels.Address{Channel: "telegram", Account: "b", Chat: "1"},
		channels.Address{Channel: "telegram", Account: "b", Chat: "0"}, channels.Address{Channel: "telegram", Account: "b", Chat: "2"}
	write := func(path, text string) {
		t.Helper()
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{s.Of(gone, false), s.Of(former, false), s.Of(stays, false), s.Home()} {
		write(filepath.Join(folder, "a", "b", "note"), "word")
	}
	closed := filepath.Join(s.Of(gone, false), "a")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(t.Context(), []channels.Address{gone, former}); err != nil {
		t.Fatal(err)
	}
	chats, err := os.ReadDir(filepath.Join(dir, "chats"))
	if err != nil || len(chats) != 1 || chats[0].Name() != filepath.Base(s.Of(stays, false)) {
		t.Errorf("%v are left, %v", chats, err)
	}
	if _, err := os.Stat(filepath.Join(s.Home(), "a", "b", "note")); err != nil {
		t.Error(err)
	}

	if err := NewSpaces(t.TempDir()).Forget(t.Context(), []channels.Address{gone}); err != nil {
		t.Errorf("without a file of any chat: %v", err)
	}

	sent := receiptsOf{
		"c1-5/call/file": context.Canceled, "c2-5/call/file": context.Canceled,
		"c9-5/call/file": fmt.Errorf("%w: %w", session.ErrEnded, session.ErrNotFound),
	}
	o := NewUploads(filepath.Join(dir, "outgoing"))
	for id := range sent {
		if _, err := o.Keep(id, strings.NewReader("word"), 4); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Forget(t.Context(), sent, "c1"); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(o.Dir())
	if err != nil || len(left) != 1 || left[0].Name() != named().EncodeToString([]byte("c2-5/call/file")) {
		t.Errorf("%v wait to be sent, %v", left, err)
	}

	u := NewDeadLetters(dir, zerolog.Nop())
	for _, account := range []string{"b", "other"} {
		u.Keep("telegram", account)("unknown", json.RawMessage(`{"text":"of `+account+`"}`))
	}
	if err := u.Forget("telegram", "b"); err != nil {
		t.Fatal(err)
	}
	letters, err := os.ReadFile(filepath.Join(dir, deadLettersFile))
	if err != nil || strings.Contains(string(letters), "of b") || !strings.Contains(string(letters), "of other") {
		t.Errorf("the updates are %s, %v", letters, err)
	}
}
