package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
)

// dataURL is a picture as clients send it.
func dataURL(kind, data string) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(data))
}

// shownTo are the pictures that a request shows its model, each with the first word of its message.
func shownTo(req *fakemodel.Request) (all []string) {
	for i := range req.Messages {
		m := &req.Messages[i]
		for _, picture := range m.Images {
			word, _, _ := strings.Cut(m.Content, " ")
			all = append(all, word+" "+picture.URL)
		}
	}
	return all
}

// TestPicturesOfClients: the model sees each picture of a conversation with its message, in each round of the turn, also after
// a kill; the client that sends the request again gets the one answer. A lasting chat keeps the pictures as its files.
func TestPicturesOfClients(t *testing.T) {
	t.Parallel()
	var killed atomic.Bool
	reached := make(chan struct{})
	breaks := breaksOff(&killed, sync.OnceFunc(func() { close(reached) }))
	answer := func(req fakemodel.Request) fakemodel.Answer {
		if len(results(req)) == 0 { // a call without an effect: one with it would have to be allowed behind a picture
			return fakemodel.Call("calculator", `{"expression":"1+1"}`)
		}
		return breaks(req)
	}
	png, jpg := dataURL("image/png", "\x89PNG\r\n\x1a\n one"), dataURL("image/jpeg", "\xff\xd8\xff\xe0 two")
	var mu sync.Mutex
	var shown [][]string
	addr := freeAddr(t)
	w := &apiWorld{world: prepare(t, func(req fakemodel.Request) fakemodel.Answer {
		mu.Lock()
		shown = append(shown, shownTo(&req))
		mu.Unlock()
		return answer(req)
	}, rig.Config{HTTP: addr}), base: "http://" + addr + "/v1"}
	seeing(t, w.world)
	w.runsAPI(addr)
	part := func(url string) string { return fmt.Sprintf(`{"type":"image_url","image_url":{"url":%q}}`, url) }
	body := fmt.Sprintf(`{"model":"parley","messages":[
		{"role":"user","content":[{"type":"text","text":"First look"},%s]},
		{"role":"assistant","content":"I see."},
		{"role":"user","content":[{"type":"text","text":"Then compare"},%s,%s]}]}`, part(png), part(jpg), part(png))
	done := make(chan string, 1)
	go func() {
		_, whole := w.do(http.MethodPost, "/chat/completions", body, "key-1")
		raw, _ := json.Marshal(whole)
		done <- string(raw)
	}()
	select {
	case <-reached:
	case got := <-done:
		t.Fatalf("it is answered too soon: %s", got)
	}
	killed.Store(true)
	w.kill()
	w.start()
	if got := <-done; !strings.Contains(got, brokenAnswer) {
		t.Errorf("the answer is %s", got)
	}
	want := []string{"First " + png, "Then " + jpg, "Then " + png}
	mu.Lock()
	for i, got := range shown {
		if !slices.Equal(got, want) {
			t.Errorf("request %d shows %.200q, want %.200q", i, got, want)
		}
	}
	shown = nil
	mu.Unlock()
	if inbox, _ := w.spaceFiles(); len(inbox) != 0 {
		t.Errorf("a chat of one request has the files %q", inbox)
	}
	w.lastingPictures(png)
}

// lastingPictures shows a picture in a chat that lasts: the next request shows it again, and the page reads it.
func (w *apiWorld) lastingPictures(png string) {
	w.t.Helper()
	ask := func(text, more string) {
		body := fmt.Sprintf(`{"model":"parley","conversation":"main","input":[{"role":"user","content":[{"type":"input_text","text":%q}%s]}]}`,
			text, more)
		if status, answer := w.do(http.MethodPost, "/responses", body, ""); status != http.StatusOK {
			w.t.Fatalf("%d %v", status, answer)
		}
	}
	ask("This one", fmt.Sprintf(`,{"type":"input_image","image_url":%q}`, png))
	ask("And now", "")
	all := w.model.Requests()
	if got := shownTo(&all[len(all)-1]); !slices.Equal(got, []string{"This " + png}) {
		w.t.Errorf("the next request shows %.200q", got)
	}
	w.base = strings.TrimSuffix(w.base, "/v1") + "/api"
	read := w.reads()
	if len(read) == 0 || read[0].Text != "This one" || len(read[0].Files) != 1 || read[0].Files[0].Type != "image/png" {
		w.t.Fatalf("the chat reads %+v", read)
	}
	if inbox, _ := w.spaceFiles(); !slices.Equal(inbox, []string{"picture-1.png"}) {
		w.t.Errorf("the chat has the files %q", inbox)
	}
}

// TestWhatIsNoPicture is refused with the cure, before anything is stored.
func TestWhatIsNoPicture(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("no") })
	w.base = strings.TrimSuffix(w.base, "/api") + "/v1"
	good := dataURL("image/png", "\x89PNG\r\n\x1a\n one")
	part := func(url string) string { return fmt.Sprintf(`{"type":"image_url","image_url":{"url":%q}}`, url) }
	for name, message := range map[string]string{
		"another address":  `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}`,
		"another kind":     `{"role":"user","content":[` + part(dataURL("image/svg+xml", "<svg/>")) + `]}`,
		"another content":  `{"role":"user","content":[` + part(dataURL("image/png", "<html>")) + `]}`,
		"no base64":        `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,%%"}}]}`,
		"no address":       `{"role":"user","content":[{"type":"image_url"}]}`,
		"of the assistant": `{"role":"assistant","content":[` + part(good) + `]}`,
		"a sound":          `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]}`,
		"too many":         `{"role":"user","content":[` + strings.Repeat(part(good)+",", 16) + part(good) + `]}`,
	} {
		body := `{"model":"parley","messages":[` + message + `,{"role":"user","content":"look"}]}`
		status, answer := w.do(http.MethodPost, "/chat/completions", body, "")
		if why := fmt.Sprint(answer["error"]); status != http.StatusBadRequest || !strings.Contains(why, "pictures") {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	if _, shelf := w.spaceFiles(); len(shelf) != 0 || len(w.model.Requests()) != 0 {
		t.Errorf("the shelf has %q, and the model was asked %d times", shelf, len(w.model.Requests()))
	}
}
