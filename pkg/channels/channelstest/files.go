package channelstest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
)

// senderOf is the channel as a sender of files. It is nil on a platform without files,
// where the engine names them in a text.
func senderOf(t *testing.T, rig *Rig, c *running) channels.FileSender {
	t.Helper()
	s, ok := c.Channel.(channels.FileSender)
	if !ok && rig.Files != nil {
		t.Fatal("the platform takes files, and the channel sends none")
	}
	return s
}

// filePart is a file with a caption.
func filePart(at channels.Address, id, caption string, content []byte) channels.FilePart {
	p := part(at, id, caption)
	p.File = &channels.File{Name: id + ".bin", Path: "/space/" + id + ".bin", Size: int64(len(content))}
	return channels.FilePart{Part: p, Open: func() (fs.File, error) {
		return fstest.MapFS{"f": {Data: content}}.Open("f")
	}}
}

// filesInOrder sends files between texts.
func filesInOrder(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := start(t, rig, newStore())
	s := senderOf(t, rig, c)
	if s == nil {
		return
	}
	at := rig.Chats[0]
	contents := [][]byte{[]byte("one"), {0, 0xff, '\r', '\n', 0}, []byte(strings.Repeat("long ", 50_000))}
	var marks []string
	ids := map[string]bool{}
	note := func(mark string, r channels.Receipt) {
		marks = append(marks, mark)
		if r.MessageID == "" || ids[r.MessageID] || r.Time.IsZero() {
			t.Errorf("receipt %+v of %s", r, mark)
		}
		ids[r.MessageID] = true
	}
	for i, content := range contents {
		text := fmt.Sprintf("text %d", i)
		note(text, send(t, c, part(at, fmt.Sprintf("text/%d", i), one(t, c, text))))
		caption := fmt.Sprintf("caption %d", i)
		r, err := s.SendFile(t.Context(), filePart(at, fmt.Sprintf("file%d", i), caption, content))
		if err != nil {
			t.Fatal(err)
		}
		note(caption, r)
	}
	var seen []string
	for _, text := range rig.Seen(at) {
		seen = append(seen, slices.DeleteFunc(slices.Clone(marks), func(m string) bool { return !strings.Contains(text, m) })...)
	}
	if diff := cmp.Diff(marks, seen); diff != "" {
		t.Errorf("(-sent +seen):\n%s", diff)
	}
	if rig.Files == nil {
		return
	}
	if diff := cmp.Diff(contents, rig.Files(at)); diff != "" {
		t.Errorf("contents (-sent +seen):\n%.1000s", diff)
	}
}

// filesThatCannotBeOpened are refused, where their content is needed, and the next
// message is sent.
func filesThatCannotBeOpened(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := start(t, rig, newStore())
	s := senderOf(t, rig, c)
	if s == nil {
		return
	}
	at := rig.Chats[0]
	for name, open := range map[string]func() (fs.File, error){
		"gone":     func() (fs.File, error) { return nil, fs.ErrNotExist },
		"a folder": func() (fs.File, error) { return fstest.MapFS{}.Open(".") },
		"empty":    func() (fs.File, error) { return fstest.MapFS{"f": {}}.Open("f") },
	} {
		p := filePart(at, name, "", []byte("x"))
		p.Open = open
		_, err := s.SendFile(t.Context(), p)
		if se, ok := errors.AsType[*channels.SendError](err); err != nil && (!ok || se.Class != channels.SendRefused) {
			t.Errorf("a file that is %s: %v", name, err)
		}
		if err == nil && rig.Files != nil {
			t.Errorf("a file that is %s has a receipt", name)
		}
		send(t, c, part(at, "after "+name, one(t, c, "after "+name)))
		if all := rig.Seen(at); len(all) == 0 || all[len(all)-1] != rig.shows(one(t, c, "after "+name)) {
			t.Errorf("the message after a file that is %s is not seen", name)
		}
	}
}

// fileEnds checks that a SendFile ends with its context and reports the known outcome.
func fileEnds(t *testing.T, f Factory) {
	t.Helper()
	rig := f(t)
	c := start(t, rig, newStore())
	s := senderOf(t, rig, c)
	if s == nil {
		return
	}
	at := rig.Chats[0]
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.SendFile(ended, filePart(at, "ended", "never", []byte("x"))); err == nil {
		t.Error("a SendFile whose context ended before has a receipt")
	} else if class := channels.ClassOf(err).Class; class == channels.SendTransient && rig.seen(at) > 0 {
		t.Error("it says that the platform does not have it, and the person sees it")
	}
	if rig.Stall == nil {
		return
	}
	resume := rig.Stall()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := s.SendFile(ctx, filePart(at, "stalled", "stalled", []byte("x")))
		result <- err
	}()
	var err error
	select {
	case err = <-result:
	case <-time.After(patience):
		t.Error("SendFile does not end with its context")
	}
	resume()
	class := channels.ClassOf(err).Class
	if err == nil || class != channels.SendAmbiguous && class != channels.SendTransient {
		t.Errorf("a SendFile without an answer gives %v", err)
	}
	send(t, c, part(at, "resumed", one(t, c, "resumed")))
}
