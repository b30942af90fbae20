package forgets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session/forgets"
)

// stored is a ledger as a gateway wrote it on 2026-11-26: one forget that is finished, one of a conversation
// and one that is under way.
const stored = `{"id":"7ryxo6c5ty","time":"2026-11-26T21:12:27.036741098Z","chat":"choj5uh1t1q",` +
	`"moved":[{"channel":"telegram","account":"7","chat":"-5"}],"until":1764191547036741}
{"id":"a","time":"2026-11-26T21:13:00Z","chat":"c1","session":"s2"}
{"id":"b","time":"2026-11-26T21:14:00Z","chat":"c3","left":["pages","copies"],"at":{"channel":"slack","account":"T","chat":"D1"},` +
	`"shared":true,"question":"c3-5/ask"}
`

// older is an entry of the build before the files went in two steps.
const older = `{"id":"o","time":"2026-11-26T21:14:00Z","chat":"c3","left":["store","files","tell","pages","copies"],` +
	`"at":{"channel":"slack","account":"T","chat":"D1"}}
`

func write(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, forgets.File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestStoredForm: a ledger of this build stays readable, and what is added to it comes back.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	dir := write(t, stored)
	want := []forgets.Entry{
		{
			ID: "7ryxo6c5ty", Time: time.Date(2026, 11, 26, 21, 12, 27, 36741098, time.UTC), Chat: "choj5uh1t1q",
			Moved: []channels.Address{{Channel: "telegram", Account: "7", Chat: "-5"}}, Until: 1764191547036741,
		},
		{ID: "a", Time: time.Date(2026, 11, 26, 21, 13, 0, 0, time.UTC), Chat: "c1", Session: "s2"},
		{
			ID: "b", Time: time.Date(2026, 11, 26, 21, 14, 0, 0, time.UTC), Chat: "c3", Shared: true, Question: "c3-5/ask",
			At: channels.Address{Channel: "slack", Account: "T", Chat: "D1"}, Left: []forgets.Step{forgets.StepPages, forgets.StepCopies},
		},
	}
	l, err := forgets.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, l.All()); d != "" {
		t.Error(d)
	}
	for _, step := range []forgets.Step{forgets.StepCopies, forgets.StepPages} {
		if len(l.Unfinished()) != 1 {
			t.Errorf("%v are under way", l.Unfinished())
		}
		if err := l.Did("b", step); err != nil {
			t.Fatal(err)
		}
	}
	next := forgets.Entry{ID: "d", Time: want[1].Time, Chat: "c9", Left: forgets.Steps()}
	if err := l.Add(next); err != nil {
		t.Fatal(err)
	}
	want[2].At, want[2].Left, want[2].Shared, want[2].Question = channels.Address{}, nil, false, ""
	if l, err = forgets.Open(dir); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(append(want, next), l.All()); d != "" {
		t.Errorf("after a reopen: %s", d)
	}
}

// TestAnOlderEntry has the files of a chat deleted in both steps.
func TestAnOlderEntry(t *testing.T) {
	t.Parallel()
	l, err := forgets.Open(write(t, older))
	if err != nil {
		t.Fatal(err)
	}
	want := []forgets.Step{
		forgets.StepStore, forgets.StepFiles, forgets.StepRest, forgets.StepTell, forgets.StepPages, forgets.StepCopies,
	}
	if d := cmp.Diff(want, l.All()[0].Left); d != "" {
		t.Error(d)
	}
}

// TestAnUnreadableLedger is an error, wherever it is damaged: an entry that is passed over would let its chat
// come back.
func TestAnUnreadableLedger(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut":      stored[:len(stored)-20],
		"no JSON":  "hello\n" + stored,
		"no chat":  strings.Replace(stored, `"chat":"c1"`, `"shat":"c1"`, 1),
		"too long": stored + `{"id":"` + strings.Repeat("x", 2<<20) + `"}`,
	} {
		if l, err := forgets.Open(write(t, text)); err == nil {
			t.Errorf("%s: the ledger has %v", name, l.All())
		}
	}
	if l, err := forgets.Open(t.TempDir()); err != nil || len(l.All()) != 0 {
		t.Errorf("without a file: %v", err)
	}
}
