package faketelegram_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"parley/internal/test/faketelegram"
)

// get downloads a file by its id, or says why not.
func (w *world) get(id string) (string, string) {
	w.t.Helper()
	r := w.call("getFile", map[string]string{"file_id": id})
	if !r.OK {
		return "", r.Description
	}
	name := decode[struct {
		Path string `json:"file_path"`
	}](w.t, r.Result).Path
	base := strings.Replace(w.base, "/bot", "/file/bot", 1)
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, base+name, http.NoBody)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err.Error()
	}
	return string(b), ""
}

func TestDownload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := map[string]struct {
		update           faketelegram.Update
		path, want, fail string
	}{
		"photo":    {w.chat.Photo([]byte("img"), ""), "message.photo.1.file_id", "img", ""},
		"document": {w.chat.Document(faketelegram.File{Name: "a.txt", Data: []byte("text")}, ""), "message.document.file_id", "text", ""},
		"voice":    {w.chat.Voice([]byte("sound"), 1), "message.voice.file_id", "sound", ""},
		"too big": {
			w.chat.Document(faketelegram.File{Name: "a", Size: 21 << 20}, ""),
			"message.document.file_id", "", "Bad Request: file is too big",
		},
		"no file": {w.chat.Say("text"), "message.text", "", "Bad Request: wrong file_id or the file is temporarily unavailable"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, fail := w.get(field(t, tc.update, tc.path)); got != tc.want || fail != tc.fail {
				t.Errorf("got %q and %q, want %q and %q", got, fail, tc.want, tc.fail)
			}
		})
	}
}

func TestDownloadIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.chat.Photo([]byte("0123456789"), "")
	w.srv.Harm(faketelegram.Rule{Method: "download", Fault: faketelegram.Fault{Cut: 4}})
	if got, fail := w.get(field(t, u, "message.photo.1.file_id")); fail == "" {
		t.Errorf("got %q", got)
	}
}

func TestSendFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := map[string]string{"chat_id": fmt.Sprint(w.chat.ID()), "caption": "<i>c</i>", "parse_mode": "HTML"}
	for method, kind := range map[string]string{"sendPhoto": "photo", "sendDocument": "document"} {
		if r := w.upload(method, to, kind, "a.png", []byte(kind)); !r.OK {
			t.Fatal(r.Description)
		}
		all := w.chat.Messages()
		m := all[len(all)-1]
		if m.Text != "c" || len(m.Entities) != 1 || m.File == nil || string(m.File.Data) != kind || m.File.Name != "a.png" {
			t.Errorf("%s shows %+v with %+v", method, m, m.File)
		}
		if r := w.call(method, map[string]string{"chat_id": to["chat_id"], kind: m.File.ID}); !r.OK {
			t.Errorf("%s again by its id: %s", method, r.Description)
		}
		if r := w.call(method, map[string]string{"chat_id": to["chat_id"]}); r.Description != "Bad Request: there is no "+kind+" in the request" {
			t.Errorf("%s of nothing: %q", method, r.Description)
		}
	}
	long := map[string]string{"chat_id": to["chat_id"], "caption": strings.Repeat("x", 1025)}
	if r := w.upload("sendDocument", long, "document", "a", []byte("x")); r.Description != "Bad Request: message caption is too long" {
		t.Errorf("a long caption: %q", r.Description)
	}
	w.srv.ForgetViolations()
}

func TestSendAlbum(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	var errs error
	for _, name := range []string{"one", "two"} {
		part, err := form.CreateFormFile(name, name+".jpg")
		errs = errors.Join(errs, err)
		_, err = part.Write([]byte(name))
		errs = errors.Join(errs, err)
	}
	errs = errors.Join(errs, form.WriteField("chat_id", fmt.Sprint(w.chat.ID())), form.WriteField("media",
		`[{"type":"photo","media":"attach://one","caption":"c"},{"type":"photo","media":"attach://two"}]`), form.Close())
	if errs != nil {
		t.Fatal(errs)
	}
	r, err := w.post(t.Context(), "sendMediaGroup", form.FormDataContentType(), b.Bytes())
	if err != nil || !r.OK {
		t.Fatal(err, r.Description)
	}
	all := w.chat.Messages()
	if len(all) != 2 || all[0].AlbumID == "" || all[0].AlbumID != all[1].AlbumID || all[0].Text != "c" || string(all[1].File.Data) != "two" {
		t.Errorf("shown %+v", all)
	}
	if r := w.send("sendMediaGroup", w.chat, "media", `[{"type":"photo","media":"attach://one"}]`); r.Status != 400 {
		t.Errorf("an album of one: %+v", r)
	}
}
