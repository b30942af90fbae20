package telegram_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/faketelegram"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

// picture is a PNG as far as its first bytes tell.
func picture(n int) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{byte(n)}, 200)...)
}

// space keeps what was stored, by path.
type space struct {
	mu    sync.Mutex
	files map[string]string
}

func (s *space) put(_ context.Context, at channels.Address, name string, r io.Reader) (string, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]string{}
	}
	s.files[at.Chat+"/"+name] = string(data)
	return "inbox/" + name, nil
}

func TestFilesAreStoredAndShown(t *testing.T) {
	t.Parallel()
	var files space
	b := newBench(t, func(o *telegram.Options, _ *bench) { o.Files = files.put })
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Document(faketelegram.File{Name: "report.pdf", MIME: "application/pdf", Data: []byte(strings.Repeat("x", 12_000))}, "read this")
	photo := ada.Photo(picture(1), "")
	voice := ada.Voice([]byte("ogg"), 62)
	ada.Document(faketelegram.File{Name: "scan.png", MIME: "image/png", Data: picture(2)}, "")
	ada.Document(faketelegram.File{Name: "no.png", MIME: "image/png", Data: []byte("a text")}, "")
	ada.Document(faketelegram.File{Name: "big.iso", Data: []byte("x"), Size: 21 << 20}, "")
	items := b.store.wait(t, 6)
	b.confirmed(t)
	want := []string{
		"read this\n[document report.pdf, 12 kB, saved as inbox/report.pdf]",
		fmt.Sprintf("[photo 800×800, 208 B, saved as inbox/photo-%d.jpg]", photo.MessageID),
		fmt.Sprintf("[voice message 1:02, 3 B, saved as inbox/voice-%d.ogg]", voice.MessageID),
		"[document scan.png, 208 B, saved as inbox/scan.png]",
		"[document no.png, 6 B, saved as inbox/no.png]",
		"[document big.iso, 22.0 MB, too large to fetch]",
	}
	if diff := cmp.Diff(want, texts(items)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	shown := make([][]channels.Image, len(items))
	for i := range items {
		shown[i] = items[i].Images
	}
	png := func(n int) []channels.Image { return []channels.Image{{MIME: "image/png", Data: picture(n)}} }
	if diff := cmp.Diff([][]channels.Image{nil, png(1), nil, png(2), nil, nil}, shown); diff != "" {
		t.Errorf("images -want +got\n%s", diff)
	}
	files.mu.Lock()
	defer files.mu.Unlock()
	if len(files.files) != 5 || len(files.files[items[0].Address.Chat+"/report.pdf"]) != 12_000 {
		t.Errorf("stored: %q", slices.Sorted(maps.Keys(files.files)))
	}
}

// TestDownloadFailuresAreSaid fails each step in turn: the message comes anyway.
func TestDownloadFailuresAreSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm faketelegram.Rule
		want string
	}{
		"getFile refused":      {faketelegram.Rule{Method: "getFile", Fault: faketelegram.Refusal("wrong file_id or the file is temporarily unavailable")}, "could not be fetched"},
		"getFile is too large": {faketelegram.Rule{Method: "getFile", Fault: faketelegram.Refusal("file is too big")}, "too large to fetch"},
		"getFile without path": {faketelegram.Rule{Method: "getFile", Fault: faketelegram.Fault{Code: 200, Body: `{"ok":true,"result":{"file_id":"x"}}`}}, "could not be fetched"},
		"a path outside":       {faketelegram.Rule{Method: "getFile", Fault: faketelegram.Fault{Code: 200, Body: `{"ok":true,"result":{"file_path":"../getMe"}}`}}, "could not be fetched"},
		"an absolute path":     {faketelegram.Rule{Method: "getFile", Fault: faketelegram.Fault{Code: 200, Body: `{"ok":true,"result":{"file_path":"/etc/passwd"}}`}}, "could not be fetched"},
		"download refused":     {faketelegram.Rule{Method: "download", Fault: faketelegram.BadGateway()}, "could not be fetched"},
		"download cut":         {faketelegram.Rule{Method: "download", Fault: faketelegram.Fault{Cut: 5}}, "could not be fetched"},
		"download reset":       {faketelegram.Rule{Method: "download", Fault: faketelegram.Fault{DropBefore: true}}, "could not be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files space
			b := newBench(t, func(o *telegram.Options, b *bench) {
				o.Files = files.put
				b.srv.Harm(c.harm)
			})
			ada := b.srv.Private(b.srv.User("Ada"))
			ada.Document(faketelegram.File{Name: "a.txt", Data: []byte("some text")}, "look")
			ada.Say("next")
			want := []string{"look\n[document a.txt, 9 B, " + c.want + "]", "next"}
			if diff := cmp.Diff(want, texts(b.store.wait(t, 2))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			b.confirmed(t)
			b.keepsToken(t, b.bot.Token())
			if len(files.files) > 0 {
				t.Errorf("stored: %q", files.files)
			}
		})
	}
}

// TestDownloadHoldsUpItsOwnChatOnly lets a download hang.
func TestDownloadHoldsUpItsOwnChatOnly(t *testing.T) {
	t.Parallel()
	var files space
	var heal func()
	b := newBench(t, func(o *telegram.Options, b *bench) {
		o.Files = files.put
		heal = b.srv.Harm(faketelegram.Rule{Method: "download", Fault: faketelegram.Fault{HalfOpen: true}})
		ada, ben := b.srv.Private(b.srv.User("Ada")), b.srv.Private(b.srv.User("Ben"))
		ada.Say("a1")
		ben.Say("b1")
		ada.Document(faketelegram.File{Name: "a.txt", Data: []byte("some text")}, "a2")
		ada.Say("a3")
		ben.Say("b2")
	})
	b.until(t, "the download", func() bool { return b.srv.Count("download") == 1 })
	if got := texts(b.store.wait(t, 3)); !slices.Equal(got, []string{"a1", "b1", "b2"}) {
		t.Errorf("stored while the download hangs: %q", got)
	}
	if n := len(b.bot.Unconfirmed()); n != 5 {
		t.Errorf("%d updates are unconfirmed, want all 5", n)
	}
	b.stop() // nothing is lost by stopping now
	heal()
	opt := b.options()
	opt.Files = files.put
	b.start(t, opt)
	want := []string{"a1", "b1", "b2", "a2\n[document a.txt, 9 B, saved as inbox/a.txt]", "a3"}
	if diff := cmp.Diff(want, texts(b.store.wait(t, 5))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	b.confirmed(t)
}

func TestStrangersFilesAreNotFetched(t *testing.T) {
	t.Parallel()
	var files space
	b := newBench(t, func(o *telegram.Options, _ *bench) {
		o.Files = files.put
		o.Admit = func(_ context.Context, in channels.Inbound) bool { return in.Sender.Name == "Ada" }
	})
	b.srv.Private(b.srv.User("Eve")).Document(faketelegram.File{Name: "e.txt", Data: []byte("x")}, "")
	b.srv.Private(b.srv.User("Ada")).Document(faketelegram.File{Name: "a.txt", Data: []byte("x")}, "")
	got := texts(b.store.wait(t, 2))
	slices.Sort(got)
	if want := []string{"[document a.txt, 1 B, saved as inbox/a.txt]", "[document e.txt, 1 B]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if b.srv.Count("getFile") != 1 {
		t.Errorf("getFile %d times", b.srv.Count("getFile"))
	}
}

func TestAlbumIsOneMessage(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada, ben := b.srv.Private(b.srv.User("Ada")), b.srv.Private(b.srv.User("Ben"))
	first := ada.Album([]faketelegram.Item{{Photo: picture(1), Caption: "the trip"}, {Photo: picture(2)}, {Photo: picture(3)}})[0]
	ben.Say("meanwhile")
	items := b.store.wait(t, 2)
	if got := texts(items[:1]); !slices.Equal(got, []string{"meanwhile"}) {
		t.Errorf("another chat waits for the album: %q", texts(items))
	}
	album := items[1]
	if album.ID != fmt.Sprintf("update/%d", first.ID) || album.MessageID != fmt.Sprint(first.MessageID) || len(album.Images) != 3 ||
		!strings.HasPrefix(album.Text, "the trip\n[photo") || strings.Count(album.Text, "[photo") != 3 {
		t.Errorf("%d images, %q, %s", len(album.Images), album.Text, album.ID)
	}
	b.confirmed(t)
	ada.Album([]faketelegram.Item{{Photo: picture(1)}, {Photo: picture(2)}})
	ada.Say("well?") // the album ends here
	items = b.store.wait(t, 4)
	if len(items[2].Images) != 2 || items[3].Text != "well?" {
		t.Errorf("%q", texts(items[2:]))
	}
	b.confirmed(t)
	if n := len(b.store.all()); n != 4 {
		t.Errorf("%d items", n)
	}
}

// TestEditOfAPartLeavesItsAlbumAlone: an edit tells of one part only, so it must
// not be taken for a new wording of all of them. Of a single picture it is one.
func TestEditOfAPartLeavesItsAlbumAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	album := ada.Album([]faketelegram.Item{{Photo: picture(1), Caption: "the trip"}, {Photo: picture(2), Caption: "the beach"}})[0]
	b.store.wait(t, 1)
	ada.Edit(album.MessageID, "the journey")
	single := ada.Photo(picture(3), "a boat")
	b.store.wait(t, 3)
	ada.Edit(single.MessageID, "a ship")
	items := b.store.wait(t, 4)
	for i, want := range map[int]string{1: "", 3: items[2].MessageID} {
		if got := items[i]; got.Kind != channels.KindEdit || got.MessageID != want {
			t.Errorf("%s %q of message %q, want an edit of %q", got.Kind, got.Text, got.MessageID, want)
		}
	}
	if !strings.HasPrefix(items[1].Text, "the journey\n[photo") {
		t.Errorf("the edit is %q", items[1].Text)
	}
}

// TestAlbumThatComesInPieces has its parts in several polls.
func TestAlbumThatComesInPieces(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	part := func(n int) {
		ada.Post(map[string]any{"media_group_id": "g", "caption": fmt.Sprint("part ", n), "document": map[string]any{"file_id": fmt.Sprint("f", n)}})
	}
	if err := b.bot.AwaitPolling(limited(t)); err != nil {
		t.Fatal(err)
	}
	part(1)
	polls := b.srv.Count("getUpdates")
	b.until(t, "another poll", func() bool { return b.srv.Count("getUpdates") > polls })
	part(2)
	items := b.store.wait(t, 1)
	if want := "part 1\npart 2\n[document]\n[document]"; items[0].Text != want {
		t.Errorf("%q, want %q", items[0].Text, want)
	}
	b.confirmed(t)
}
