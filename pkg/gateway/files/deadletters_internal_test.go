package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// TestUnreadUpdatesAreBounded in bytes and in time.
func TestUnreadUpdatesAreBounded(t *testing.T) {
	t.Parallel()
	u := NewDeadLetters(t.TempDir(), zerolog.Nop())
	keep := u.Keep("telegram", "help")
	for _, raw := range []string{`{"update_id":1,"gift":{}}`, `no JSON`, `"` + strings.Repeat("x", maxDeadLetter) + `"`} {
		keep("gift", []byte(raw))
	}
	now, old := filepath.Join(u.dir, deadLettersFile), filepath.Join(u.dir, deadLettersOld)
	b, err := os.ReadFile(now)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"account":"help","kind":"gift","bytes":25,"update":{"update_id":1,"gift":{}}}`, `"update":"no JSON"}`, `"bytes":65538}`} {
		if !strings.Contains(string(b), want+"\n") {
			t.Errorf("%s is missing: %s", want, b)
		}
	}
	for range 60 {
		keep("gift", []byte(`"`+strings.Repeat("x", maxDeadLetter-2)+`"`))
	}
	for _, name := range []string{now, old} {
		st, err := os.Stat(name)
		if err != nil || st.Size() > maxDeadLetters {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-deadLettersTime-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	u.Age()
	if entries, err := os.ReadDir(u.dir); err != nil || len(entries) > 0 {
		t.Errorf("%v are left, %v", entries, err)
	}
}

// TestUnreadUpdatesFollowNoLink: a kept update goes into a file of the state folder
// alone.
func TestUnreadUpdatesFollowNoLink(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	u := NewDeadLetters(t.TempDir(), zerolog.Nop())
	if err := os.Symlink(outside, filepath.Join(u.dir, deadLettersFile)); err != nil {
		t.Fatal(err)
	}
	u.Keep("telegram", "help")("gift", []byte(`{}`))
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was made through a link")
	}
}
