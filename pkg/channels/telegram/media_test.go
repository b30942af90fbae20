package telegram_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram/update"
)

// picture is a PNG as far as its first bytes tell.
func picture(n int) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{byte(n)}, 200)...)
}

// TestFilesComeWithTheirMessage: receiving fetches no file, and each file can be
// fetched afterwards.
func TestFilesComeWithTheirMessage(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Document(faketelegram.File{Name: "report.pdf", MIME: "application/pdf", Data: []byte(strings.Repeat("x", 12_000))}, "read this")
	photo := ada.Photo(picture(1), "")
	voice := ada.Voice([]byte("ogg"), 62)
	ada.Document(faketelegram.File{Name: "big.iso", Data: []byte("x"), Size: 21 << 20}, "")
	items := b.store.Await(t, 4)
	b.confirmed(t)
	if n := b.srv.Count("getFile") + b.srv.Count("download"); n != 0 {
		t.Errorf("%d requests for files while they were taken in", n)
	}
	if diff := cmp.Diff([]string{"read this", "", "", ""}, inboxtest.Texts(items)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var got []channels.Attachment
	var data []string
	for i := range items {
		a := items[i].Attachments[0]
		r, err := b.ch.OpenAttachment(t.Context(), a)
		text := []byte(fmt.Sprint(err))
		if err == nil {
			text, err = io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil {
				t.Error(err)
			}
		}
		a.Ref = ""
		got, data = append(got, a), append(data, string(text))
	}
	want := []channels.Attachment{
		{About: "document report.pdf, 12 kB", Name: "report.pdf", Size: 12_000},
		{About: "photo 800×800, 208 bytes", Name: fmt.Sprintf("photo-%d.jpg", photo.MessageID), Size: 208},
		{About: "voice message 1:02, 3 bytes", Name: fmt.Sprintf("voice-%d.ogg", voice.MessageID), Size: 3, Voice: true, Seconds: 62},
		{About: "document big.iso, 22.0 MB", Name: "big.iso", Size: 21 << 20},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{strings.Repeat("x", 12_000), string(picture(1)), "ogg", channels.ErrTooLarge.Error()}, data); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestDownloadFailuresAreErrors fails each step in turn.
func TestDownloadFailuresAreErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm  faketelegram.Rule
		large bool
	}{
		"getFile refused": {
			harm: faketelegram.Rule{Method: "getFile", Fault: faketelegram.Refusal("wrong file_id or the file is temporarily unavailable")},
		},
		"getFile is too large": {harm: faketelegram.Rule{Method: "getFile", Fault: faketelegram.Refusal("file is too big")}, large: true},
		"getFile without path": {harm: faketelegram.Rule{Method: "getFile", Fault: faketelegram.Fault{Code: 200, Body: `{"ok":true,"result":{"file_id":"x"}}`}}},
		"a path outside":       {harm: faketelegram.Rule{Method: "getFile", Fault: faketelegram.Fault{Code: 200, Body: `{"ok":true,"result":{"file_path":"../getMe"}}`}}},
		"an absolute path":     {harm: faketelegram.Rule{Method: "getFile", Fault: faketelegram.Fault{Code: 200, Body: `{"ok":true,"result":{"file_path":"/etc/passwd"}}`}}},
		"it has grown":         {harm: faketelegram.Rule{Method: "getFile", Fault: faketelegram.Fault{Code: 200, Body: `{"ok":true,"result":{"file_path":"a","file_size":99999999}}`}}, large: true},
		"download refused":     {harm: faketelegram.Rule{Method: "download", Fault: faketelegram.BadGateway()}},
		"download cut":         {harm: faketelegram.Rule{Method: "download", Fault: faketelegram.Fault{Cut: 5}}},
		"download reset":       {harm: faketelegram.Rule{Method: "download", Fault: faketelegram.Fault{DropBefore: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, ch := sender(t)
			srv.Harm(c.harm)
			u := srv.Private(srv.User("Ada")).Document(faketelegram.File{Name: "a.txt", Data: []byte("some text")}, "look")
			r, err := ch.OpenAttachment(t.Context(), update.Decode(u.Raw, update.Bot{ID: 1, Name: "bot"}).Inbound().Attachments[0])
			if err == nil {
				_, err = io.ReadAll(r)
				_ = r.Close()
			}
			if err == nil || errors.Is(err, channels.ErrTooLarge) != c.large {
				t.Errorf("%v", err)
			}
			if _, secret, _ := strings.Cut(srv.Token(), ":"); strings.Contains(fmt.Sprint(err), secret) {
				t.Errorf("the token is in %v", err)
			}
		})
	}
}

// TestFileThatIsLargerThanSaid is not read to its end.
func TestFileThatIsLargerThanSaid(t *testing.T) {
	t.Parallel()
	srv, ch := sender(t)
	u := srv.Private(srv.User("Ada")).Document(faketelegram.File{Name: "a", Data: make([]byte, 20<<20+1), Size: 10}, "")
	r, err := ch.OpenAttachment(t.Context(), update.Decode(u.Raw, update.Bot{ID: 1, Name: "bot"}).Inbound().Attachments[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := io.Copy(io.Discard, r); !errors.Is(err, channels.ErrTooLarge) || n > 20<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// TestAFileThatEndsEarlyIsNone: the server says how long the file is.
func TestAFileThatEndsEarlyIsNone(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Document(faketelegram.File{Name: "a", Data: []byte("some text"), Size: 100}, "")
	body, err := b.ch.OpenAttachment(inboxtest.Limited(t), b.store.Await(t, 1)[0].Attachments[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	if got, err := io.ReadAll(body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAlbumIsOneMessage(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada, ben := b.srv.Private(b.srv.User("Ada")), b.srv.Private(b.srv.User("Ben"))
	first := ada.Album([]faketelegram.Item{{Photo: picture(1), Caption: "the trip"}, {Photo: picture(2)}, {Photo: picture(3)}})[0]
	ben.Say("meanwhile")
	items := b.store.Await(t, 2)
	if got := inboxtest.Texts(items[:1]); !slices.Equal(got, []string{"meanwhile"}) {
		t.Errorf("another chat waits for the album: %q", inboxtest.Texts(items))
	}
	album := items[1]
	if album.ID != fmt.Sprintf("update/%d", first.ID) || album.MessageID != fmt.Sprint(first.MessageID) ||
		album.Text != "the trip" || len(album.Attachments) != 3 {
		t.Errorf("%+v", album)
	}
	b.confirmed(t)
	ada.Album([]faketelegram.Item{{Photo: picture(1)}, {Photo: picture(2)}})
	ada.Say("well?") // the album ends here
	items = b.store.Await(t, 4)
	if len(items[2].Attachments) != 2 || items[3].Text != "well?" {
		t.Errorf("%q", inboxtest.Texts(items[2:]))
	}
	b.confirmed(t)
	if n := len(b.store.All()); n != 4 {
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
	b.store.Await(t, 1)
	ada.Edit(album.MessageID, "the journey")
	single := ada.Photo(picture(3), "a boat")
	b.store.Await(t, 3)
	ada.Edit(single.MessageID, "a ship")
	items := b.store.Await(t, 4)
	for i, want := range map[int]string{1: "", 3: items[2].MessageID} {
		if got := items[i]; got.Kind != channels.KindEdit || got.MessageID != want {
			t.Errorf("%s %q of message %q, want an edit of %q", got.Kind, got.Text, got.MessageID, want)
		}
	}
	if items[1].Text != "the journey" || len(items[1].Attachments) != 1 {
		t.Errorf("the edit is %q with %d pictures", items[1].Text, len(items[1].Attachments))
	}
}

// TestAlbumThatComesInPieces has its parts in several polls.
func TestAlbumThatComesInPieces(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	part := func(n int) {
		ada.Post(
			map[string]any{"media_group_id": "g", "caption": fmt.Sprint("part ", n), "document": map[string]any{"file_id": fmt.Sprint("f", n)}},
		)
	}
	if err := b.bot.AwaitPolling(inboxtest.Limited(t)); err != nil {
		t.Fatal(err)
	}
	part(1)
	polls := b.srv.Count("getUpdates")
	b.until(t, "another poll", func() bool { return b.srv.Count("getUpdates") > polls })
	part(2)
	items := b.store.Await(t, 1)
	if want := "part 1\npart 2"; items[0].Text != want || len(items[0].Attachments) != 2 {
		t.Errorf("%q, want %q", items[0].Text, want)
	}
	b.confirmed(t)
}
