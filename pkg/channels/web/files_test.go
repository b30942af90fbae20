package web_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/shelf"
)

func newShelf(t *testing.T, most int64) *shelf.Shelf {
	t.Helper()
	yes := func(context.Context, string) (bool, error) { return true, nil }
	return shelf.New(shelf.Options{
		Dir: filepath.Join(t.TempDir(), "web"), ChatBytes: most, PersonBytes: most, Waits: yes, Lives: yes,
	})
}

// fetched are the contents of the files of a chat, as a page fetches them.
func (s *screens) fetched(at channels.Address) (all [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.shown[at] {
		if f := s.shown[at][i].File; f != nil && f.Kept != nil {
			kept, err := s.files.Open(at.Chat, f.Kept.ID)
			if err != nil {
				s.t.Error(err)
				continue
			}
			content, err := io.ReadAll(kept)
			if err := errors.Join(err, kept.Close()); err != nil {
				s.t.Error(err)
			}
			all = append(all, content)
		}
	}
	return all
}

// TestAFileOfAMessageIsOpened as it was uploaded, by the reference of its attachment alone.
func TestAFileOfAMessageIsOpened(t *testing.T) {
	t.Parallel()
	files := newShelf(t, 500e6)
	all, err := files.Bring(t.Context(), "web:ada.1", "item", []shelf.Upload{{Name: "a.txt", Size: -1, Content: strings.NewReader("words")}})
	if err != nil {
		t.Fatal(err)
	}
	c := web.New(web.Options{Files: files})
	content, err := c.OpenAttachment(t.Context(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(content); err != nil || string(got) != "words" || content.Close() != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, ref := range []string{"", "..", "../" + all[0].Ref, all[0].ID, all[0].Ref + ".of", "/etc/passwd"} {
		if _, err := c.OpenAttachment(t.Context(), channels.Attachment{Ref: ref}); err == nil {
			t.Errorf("%q opens a file", ref)
		}
	}
}

// TestAFileThatHasNoRoomIsRefused: the person is told in words instead.
func TestAFileThatHasNoRoomIsRefused(t *testing.T) {
	t.Parallel()
	c := web.New(web.Options{Show: func(context.Context, channels.Part) { t.Error("it is shown") }, Files: newShelf(t, 1000)})
	part := channels.Part{Outbound: channels.Outbound{
		ID: "t1/1/0/file", Address: channels.Address{Channel: "web", Chat: "web:ada.1"}, File: &channels.File{Name: "a", Size: 1},
	}}
	_, err := c.SendFile(t.Context(), channels.FilePart{Part: part, Open: func() (fs.File, error) {
		return fstest.MapFS{"a": {Data: []byte("x")}}.Open("a")
	}})
	if se, ok := errors.AsType[*channels.SendError](err); !ok || se.Class != channels.SendRefused {
		t.Errorf("%v", err)
	}
}
