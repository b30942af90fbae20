package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

// wantsTwoClocks calls the program's own tool twice in one round, and tells what both gave.
func wantsTwoClocks(req fakemodel.Request) fakemodel.Answer {
	if got := results(req); len(got) > 0 {
		return fakemodel.Say("told: " + strings.Join(got, ", "))
	}
	a, call := fakemodel.Say(""), providers.ToolCall{Name: "clock", RawArguments: `{}`}
	a.ToolCalls = []providers.ToolCall{call, call}
	return a
}

// socketFrame is what the tests read of a frame of a WebSocket.
type socketFrame struct {
	Type   string
	ID     string
	CallID string `json:"tool_call_id"`
	Text   string
	Code   string
}

// program is an open WebSocket of the chat main.
type program struct {
	w    *apiWorld
	conn *websocket.Conn
}

func (w *apiWorld) connect(after string) *program {
	w.t.Helper()
	path := "ws" + strings.TrimPrefix(w.base, "http") + "/chats/main/socket?after=" + url.QueryEscape(after)
	conn, resp, err := websocket.DefaultDialer.DialContext(w.ctx, path, http.Header{"Authorization": {"Bearer " + w.token}})
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	w.t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		w.t.Fatal(err)
	}
	return &program{w, conn}
}

// until reads frames up to the nth of a type.
func (p *program) until(name string, n int) (all []socketFrame) {
	p.w.t.Helper()
	for n > 0 {
		_, raw, err := p.conn.ReadMessage()
		if err != nil {
			p.w.t.Fatalf("no %s behind %+v: %v", name, all, err)
		}
		var f socketFrame
		if err := json.Unmarshal(raw, &f); err != nil {
			p.w.t.Fatalf("%s: %v", raw, err)
		}
		if all = append(all, f); f.Type == name {
			n--
		}
	}
	return all
}

func (p *program) gives(call, result string) {
	p.w.t.Helper()
	frame := fmt.Sprintf(`{"type":"tool_result","tool_call_id":%q,"body":%q}`, call, result)
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
		p.w.t.Fatal(err)
	}
}

// comesBack is the program behind a kill, on a socket of the new process that has told it to read the
// chat anew.
func (w *apiWorld) comesBack(after string) *program {
	w.t.Helper()
	w.do(http.MethodGet, "/chats/main", "", "") // until it is there
	p := w.connect(after)
	p.until("reset", 1)
	return p
}

// TestAKillBetweenTheCallsAndResultsOfASocket: the process is killed when the program has two calls, and
// again when it sent the result of one, which has no answer yet. The program sends both to the
// third process, and once more behind the answer: they reach the model once.
func TestAKillBetweenTheCallsAndResultsOfASocket(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t, wantsTwoClocks)
	_, said := w.do(http.MethodPost, "/chats/main/messages", `{"message":"go","tools":[`+clockTool+`]}`, "1")
	after := fmt.Sprint(said["after"])
	var calls []string
	for _, f := range w.connect(after).until("done", 1) {
		if f.Type == "tool_call" {
			calls = append(calls, f.ID)
		}
	}
	if len(calls) != 2 {
		t.Fatalf("calls %q", calls)
	}
	w.kill()
	w.start()
	w.comesBack(after).gives(calls[0], "noon")
	w.kill()
	w.start()
	p := w.comesBack(after)
	p.gives(calls[1], "night")
	p.gives(calls[0], "noon")
	p.until("tool_result_accepted", 2)
	w.kill() // the results are stored: the turn goes on with them in the next process
	w.start()
	w.settled("told: noon, night")
	p = w.comesBack(after)
	p.gives(calls[0], "noon")
	p.gives(calls[1], "night")
	p.until("tool_result_accepted", 2)
	p.gives(calls[1], "another")
	if last := p.until("error", 1); last[len(last)-1].Code != "conflict" {
		t.Errorf("another result of an answered call: %+v", last)
	}
	w.settled("told: noon, night")
	asked := slices.DeleteFunc(w.model.Requests(), func(r fakemodel.Request) bool { return len(results(r)) == 0 })
	for _, r := range asked {
		if got := results(r); !slices.Equal(got, []string{"noon", "night"}) {
			t.Errorf("a request had %q", got)
		}
	}
	if len(asked) == 0 || len(asked) > 2 { // a request that the kill cut off is made once more
		t.Errorf("%d requests had the results", len(asked))
	}
}

// settled waits for an answer in the chat main, and fails where it is not there once.
func (w *apiWorld) settled(text string) {
	w.t.Helper()
	for w.ctx.Err() == nil {
		_, chat := w.do(http.MethodGet, "/chats/main", "", "")
		raw, err := json.Marshal(chat["messages"])
		if err != nil {
			w.t.Fatal(err)
		}
		if n := strings.Count(string(raw), text); n == 1 {
			return
		} else if n > 1 {
			w.t.Fatalf("the answer is there %d times: %s", n, raw)
		}
		<-time.After(20 * time.Millisecond)
	}
	w.t.Fatal("no answer")
}
