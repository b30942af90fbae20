package slack_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/fakeslack"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// file is a file for at, with a caption.
func file(at channels.Address, name, content, caption string) channels.FilePart {
	part := channels.FilePart{Part: outboxtest.Whole(at, caption)}
	part.File = &channels.File{Name: name, Size: int64(len(content))}
	part.Open = func() (fs.File, error) {
		return fstest.MapFS{"f": &fstest.MapFile{Data: []byte(content), Mode: 0o600}}.Open("f")
	}
	return part
}

func TestSendFile(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	thread := room.In(room.Say("the report, please").TS)
	r, err := c.SendFile(t.Context(), file(where(c, thread), "report.txt", "all is well", "The **report** for <!here>"))
	if err != nil || r.MessageID == "" || r.Time.IsZero() {
		t.Fatalf("receipt %+v, %v", r, err)
	}
	all := thread.Messages()
	if len(all) != 1 || all[0].File == nil || all[0].File.Name != "report.txt" || string(all[0].File.Data) != "all is well" {
		t.Fatalf("there is %+v", all)
	}
	if m := all[0]; m.Fallback != "The *report* for &lt;!here&gt;" || len(m.Notified) > 0 {
		t.Errorf("the caption is %q and notifies %q", m.Fallback, m.Notified)
	}
	if _, err := c.SendFile(t.Context(), file(where(c, room), "picture.png", "\x89PNG", "")); err != nil {
		t.Fatal(err)
	}
	if m := room.Messages()[1]; m.Thread != "" || m.Fallback != "" || m.File.Name != "picture.png" {
		t.Errorf("there is %+v", m)
	}
}

// TestSendFileWithALongCaption: all of it arrives.
func TestSendFileWithALongCaption(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	caption := strings.TrimSpace(strings.Repeat("word ", 2000))
	if _, err := c.SendFile(t.Context(), file(where(c, room), "a.txt", "a", caption)); err != nil {
		t.Fatal(err)
	}
	all := room.Messages()
	if len(all) != 3 || all[0].File == nil || all[1].File != nil {
		t.Fatalf("%d messages", len(all))
	}
	if got := strings.Join([]string{all[0].Fallback, all[1].Fallback, all[2].Fallback}, " "); got != caption {
		t.Errorf("the caption is %d bytes, was %d", len(got), len(caption))
	}
}

func TestSendFileInPlaceOfAPreview(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		srv, c := sender(t)
		room := srv.DM(srv.User("Ann"))
		id := outboxtest.SendAll(t, c, where(c, room), "one moment")[0].MessageID
		if gone {
			room.Delete(id)
		}
		part := file(where(c, room), "a.txt", "a", "here")
		part.Edits = id
		if _, err := c.SendFile(t.Context(), part); err != nil {
			t.Fatal(err)
		}
		if texts := room.Texts(); len(texts) != 1 || !strings.Contains(texts[0], "here") {
			t.Errorf("there is %q", texts)
		}
	}
}

// TestSendFileFaults: only sharing it is ambiguous.
func TestSendFileFaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		method string
		fault  fakeslack.Fault
		class  channels.SendClass
		there  int
	}{
		"announcing is cut":          {"files.getUploadURLExternal", fakeslack.Fault{DropAfter: true}, channels.SendTransient, 0},
		"announcing is refused":      {"files.getUploadURLExternal", fakeslack.Refusal("file_uploads_disabled"), channels.SendRefused, 0},
		"announcing fails":           {"files.getUploadURLExternal", fakeslack.Refusal("internal_error"), channels.SendTransient, 0},
		"the scope is missing":       {"files.getUploadURLExternal", fakeslack.Refusal("missing_scope"), channels.SendRefused, 0},
		"the token is revoked":       {"files.getUploadURLExternal", fakeslack.Refusal("token_revoked"), channels.SendAuth, 0},
		"too many announced":         {"files.getUploadURLExternal", fakeslack.RateLimited(7), channels.SendRateLimited, 0},
		"uploading is cut":           {"upload", fakeslack.Fault{DropAfter: true}, channels.SendTransient, 0},
		"uploading fails":            {"upload", fakeslack.Fault{Status: 500, Body: "oops"}, channels.SendTransient, 0},
		"uploading is forbidden":     {"upload", fakeslack.Fault{Status: 403, Body: "no"}, channels.SendRefused, 0},
		"uploading leads nowhere":    {"upload", fakeslack.Fault{Status: 404, Body: "gone"}, channels.SendRefused, 0},
		"sharing is cut before":      {"files.completeUploadExternal", fakeslack.Fault{DropBefore: true}, channels.SendAmbiguous, 0},
		"sharing is cut after":       {"files.completeUploadExternal", fakeslack.Fault{DropAfter: true}, channels.SendAmbiguous, 1},
		"sharing is refused":         {"files.completeUploadExternal", fakeslack.Refusal("not_in_channel"), channels.SendGone, 0},
		"sharing is limited":         {"files.completeUploadExternal", fakeslack.RateLimited(7), channels.SendRateLimited, 0},
		"sharing fails in its midst": {"files.completeUploadExternal", fakeslack.Refusal("fatal_error"), channels.SendAmbiguous, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			room := srv.Channel("general", srv.User("Ann"))
			srv.Harm(fakeslack.Rule{Method: tc.method, Times: 1, Fault: tc.fault})
			_, err := c.SendFile(t.Context(), file(where(c, room), "a.txt", "a", "here"))
			se := channels.ClassOf(err)
			if err == nil || se.Class != tc.class || se.RetryAfter != time.Duration(tc.fault.RetryAfter)*time.Second {
				t.Errorf("SendFile: %v after %v, want %s", err, se.RetryAfter, tc.class)
			}
			if n := len(room.Texts()); n != tc.there {
				t.Errorf("%d messages, want %d", n, tc.there)
			}
		})
	}
}

func TestSendFileThatIsNone(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	at := where(c, srv.DM(srv.User("Ann")))
	empty := file(at, "a.txt", "", "")
	missing := file(at, "a.txt", "x", "")
	missing.Open = func() (fs.File, error) { return nil, fs.ErrNotExist }
	folder := file(at, "a.txt", "x", "")
	folder.Open = func() (fs.File, error) { return fstest.MapFS{"d/f": &fstest.MapFile{}}.Open("d") }
	for name, part := range map[string]channels.FilePart{"empty": empty, "missing": missing, "folder": folder} {
		if _, err := c.SendFile(t.Context(), part); channels.ClassOf(err).Class != channels.SendRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := srv.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestSendFileToAThreadThatIsGone goes to the channel, as a message does.
func TestSendFileToAThreadThatIsGone(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	room := srv.Channel("general", srv.User("Ann"))
	at := where(c, room.In(room.Say("?").TS))
	srv.Harm(fakeslack.Rule{
		Method: "files.completeUploadExternal",
		If:     func(r fakeslack.Request) bool { return r.Thread != "" },
		Fault:  fakeslack.Refusal("thread_not_found"),
	})
	if _, err := c.SendFile(t.Context(), file(at, "a.txt", "a", "here")); err != nil {
		t.Fatal(err)
	}
	var threads []string
	for _, m := range room.Messages() {
		threads = append(threads, m.Thread)
	}
	if diff := cmp.Diff([]string{""}, threads); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var _ channels.FileSender = (*slack.Channel)(nil)
}
