package e2e_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/faces"
	"parley/internal/test/fakemodel"
	"parley/internal/test/rig"
)

// aguiRun posts a run, until the gateway takes it, and reads its events up to the one of a
// type, or until the stream breaks.
func (w *apiWorld) aguiRun(body, last string) (types []string, text string) {
	w.t.Helper()
	for w.ctx.Err() == nil {
		req, err := faces.Request(w.ctx, http.MethodPost, strings.TrimSuffix(w.base, "/api")+"/agui", w.token, body)
		if err != nil {
			w.t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			types, text = aguiEvents(resp, last)
			_ = resp.Body.Close()
			if len(types) > 0 {
				return types, text
			}
		}
		<-time.After(10 * time.Millisecond)
	}
	w.t.Fatal("no run")
	return nil, ""
}

// aguiEvents are the types of events, equal neighbours as one, and the text.
func aguiEvents(resp *http.Response, last string) (types []string, text string) {
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		var e struct{ Type, Delta string }
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		if len(types) == 0 || types[len(types)-1] != e.Type {
			types = append(types, e.Type)
		}
		if e.Type == "TEXT_MESSAGE_CONTENT" {
			text += e.Delta
		}
		if e.Type == last {
			break
		}
	}
	return types, text
}

// TestAGUIOverAKill: the process is killed in the middle of a run, and again once that is
// answered; the client sends the run again each time, and the call with an effect ran once.
func TestAGUIOverAKill(t *testing.T) {
	t.Parallel()
	var killed atomic.Bool
	w := newAPIWorld(t, breaksOff(&killed, func() {}))
	const body = `{"threadId":"main","runId":"1","messages":[{"id":"m1","role":"user","content":"do it"}]}`
	begun := []string{"RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "TEXT_MESSAGE_START"}
	if types, _ := w.aguiRun(body, "TEXT_MESSAGE_CONTENT"); !slices.Equal(types, append(slices.Clip(begun), "TEXT_MESSAGE_CONTENT")) {
		t.Errorf("before the kill: %q", types)
	}
	killed.Store(true)
	w.kill()
	w.start()
	want := slices.Concat(begun, []string{"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"})
	if types, text := w.aguiRun(body, "RUN_FINISHED"); !slices.Equal(types, want) || text != brokenAnswer {
		t.Errorf("after the kill: %q, %q", types, text)
	}
	w.kill()
	w.start()
	if types, _ := w.aguiRun(body, "RUN_FINISHED"); !slices.Equal(types, []string{"RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"}) {
		t.Errorf("after the second kill: %q", types)
	}
	if n := w.ran(); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}

// TestPicturesOverAGUI: the model sees the pictures of the new messages, in each round, also over a
// kill, and in later runs of the thread, whose client sends all of its conversation again.
func TestPicturesOverAGUI(t *testing.T) {
	t.Parallel()
	var killed atomic.Bool
	reached := make(chan struct{})
	breaks := breaksOff(&killed, sync.OnceFunc(func() { close(reached) }))
	addr := freeAddr(t)
	w := &apiWorld{world: prepare(t, func(req fakemodel.Request) fakemodel.Answer {
		if len(results(req)) == 0 {
			return fakemodel.Call("calculator", `{"expression":"1+1"}`)
		}
		return breaks(req)
	}, rig.Config{HTTP: addr}), base: "http://" + addr + "/api"}
	seeing(t, w.world)
	w.runsAPI(addr)
	const png, jpg = "\x89PNG\r\n\x1a\n one", "\xff\xd8\xff\xe0 two"
	part := func(kind, data string) string {
		encoded := base64.StdEncoding.EncodeToString([]byte(data))
		return fmt.Sprintf(`{"type":"image","source":{"type":"data","mimeType":%q,"value":%q}}`, kind, encoded)
	}
	first := `{"id":"m1","role":"user","content":[{"type":"text","text":"Compare them"},` + part("image/png", png) + `,` +
		`{"type":"image","source":{"type":"url","value":"` + dataURL("image/jpeg", jpg) + `"}}]}`
	body := `{"threadId":"main","runId":"1","messages":[` + first + `]}`
	done := make(chan string, 1)
	go func() {
		w.aguiRun(body, "TEXT_MESSAGE_CONTENT") // which breaks off
		<-reached
		_, text := w.aguiRun(body, "RUN_FINISHED")
		done <- text
	}()
	<-reached
	killed.Store(true)
	w.kill()
	w.start()
	if text := <-done; !strings.Contains(text, brokenAnswer) {
		t.Errorf("the answer is %q", text)
	}
	// the answer that the client has behind its message ends what is new
	body = `{"threadId":"main","runId":"2","messages":[` + first + `,{"id":"a1","role":"assistant","content":"done"},` +
		`{"id":"m2","role":"user","content":"And now"}]}`
	w.aguiRun(body, "RUN_FINISHED")
	want := []string{"Compare " + dataURL("image/png", png), "Compare " + dataURL("image/jpeg", jpg)}
	for i, req := range w.model.Requests() {
		if got := shownTo(&req); !slices.Equal(got, want) {
			t.Errorf("request %d shows %.200q, want %.200q", i, got, want)
		}
	}
	if inbox, _ := w.spaceFiles(); !slices.Equal(inbox, []string{"picture-1.png", "picture-2.jpg"}) {
		t.Errorf("the chat has the files %q", inbox)
	}
}
