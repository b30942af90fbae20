package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
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

// apiWorld is a gateway with an HTTP server, and a program that holds a token.
type apiWorld struct {
	*world

	base, token string
	caller      string // a token with the right to call tools
	file        string // the id of the last upload
}

func newAPIWorld(t *testing.T, b brain) *apiWorld {
	t.Helper()
	addr := freeAddr(t)
	w := &apiWorld{world: prepare(t, b, rig.Config{HTTP: addr}), base: "http://" + addr + "/api"}
	w.runsAPI(addr)
	return w
}

// runsAPI starts the gateway and makes the token.
func (w *apiWorld) runsAPI(addr string) {
	w.t.Helper()
	w.start()
	w.t.Cleanup(func() {
		defer w.process.Kill()
		w.finish()
		http.DefaultClient.CloseIdleConnections()
	})
	w.isReady(addr)
	w.token = w.makesToken("web:ada", "--level", "write").Secret
}

// do asks as the program does: again, with the same key, until the gateway answers.
func (w *apiWorld) do(method, path, body, key string) (status int, answer map[string]any) {
	w.t.Helper()
	var header []string
	if key != "" {
		header = []string{"Idempotency-Key", key}
	}
	for w.ctx.Err() == nil {
		req, err := faces.Request(w.ctx, method, w.base+path, w.token, body, header...)
		if err != nil {
			w.t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			err = json.NewDecoder(resp.Body).Decode(&answer)
			_ = resp.Body.Close()
		}
		if err == nil && resp.StatusCode != http.StatusServiceUnavailable {
			return resp.StatusCode, answer
		}
		<-time.After(10 * time.Millisecond)
	}
	w.t.Fatalf("%s %s: no answer", method, path)
	return 0, nil
}

// follow reads the events of the chat main behind an id up to the one that last accepts, or until the
// stream breaks.
func (w *apiWorld) follow(after string, last func(faces.Record) bool) []faces.Record {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	address := w.base + "/chats/main/events?after=" + url.QueryEscape(after)
	resp := faces.Send(ctx, w.t, http.MethodGet, address, w.token, "")
	defer func() { _ = resp.Body.Close() }()
	var all []faces.Record
	records := faces.NewRecords(resp.Body)
	for e, ok := records.Next(); ok; e, ok = records.Next() {
		if all = append(all, e); last(e) {
			break
		}
	}
	return all
}

func isNamed(name string) func(faces.Record) bool {
	return func(e faces.Record) bool { return e.Event == name }
}

func eventNames(all []faces.Record) []string {
	var names []string
	for _, e := range all {
		if len(names) == 0 || names[len(names)-1] != e.Event || e.Event != "token" { // as many as the model's server makes
			names = append(names, e.Event)
		}
	}
	return names
}

// textOf is the text that a page shows of a running turn.
func textOf(all []faces.Record) string {
	var text strings.Builder
	for _, e := range all {
		var d struct{ Text string }
		if e.Event == "token" && json.Unmarshal([]byte(e.Data), &d) == nil {
			text.WriteString(d.Text)
		}
	}
	return text.String()
}

// brokenAnswer is the answer of breaksOff.
const brokenAnswer = "It is done, and here is what came of it."

// breaksOff is a model that calls a tool with an effect, and whose answer behind it breaks off
// until the gateway was killed; reached is told of each answer that does.
func breaksOff(killed *atomic.Bool, reached func()) brain {
	return func(req fakemodel.Request) fakemodel.Answer {
		if len(results(req)) == 0 {
			return fakemodel.Call("effect", `{"text":"once"}`)
		}
		a := fakemodel.Say(brokenAnswer)
		if !killed.Load() {
			reached()
			a.Fault = fakemodel.Fault{Cut: 700, Silence: true}
		}
		return a
	}
}

// TestTheAPIOverAKill: a program posts a message and reads the stream; the process is killed
// in the middle of the answer; the program posts again with the same key, is told to read the
// chat anew, and sees the whole turn once. The call with an effect ran once.
func TestTheAPIOverAKill(t *testing.T) {
	t.Parallel()
	var killed atomic.Bool
	begun := make(chan struct{}) // the second stream
	follows := sync.OnceFunc(func() { close(begun) })
	model := breaksOff(&killed, func() {})
	w := newAPIWorld(t, func(req fakemodel.Request) fakemodel.Answer {
		if killed.Load() { // an id of the dead process leads to a turn that runs
			select {
			case <-begun:
			case <-t.Context().Done():
			}
		}
		return model(req)
	})
	const body, key = `{"message":"do it","max_tool_iterations":3}`, "key-1"
	status, first := w.do(http.MethodPost, "/chats/main/messages", body, key)
	if status != http.StatusAccepted {
		t.Fatalf("%d %v", status, first)
	}
	after, _ := first["after"].(string)
	seen := w.follow(after, isNamed("token"))
	want := []string{"turn", "tool_call", "tool_executing", "tool_result", "token"}
	if got := eventNames(seen); !slices.Equal(slices.DeleteFunc(got, func(n string) bool { return n == "tool_call_delta" }), want) {
		t.Errorf("before the kill: %q", got)
	}
	killed.Store(true)
	w.kill()
	w.start()
	status, second := w.do(http.MethodPost, "/chats/main/messages", body, key)
	if status != http.StatusAccepted || second["message"] != first["message"] {
		t.Errorf("posted again: %d %v, before %v", status, second, first)
	}
	again := w.follow(seen[len(seen)-1].ID, func(e faces.Record) bool {
		follows()
		return e.Event == "done"
	})
	if again[0].Event != "reset" {
		t.Fatalf("an id of the dead process is served: %q", again)
	}
	_, chat := w.do(http.MethodGet, "/chats/main", "", "")
	stored, err := json.Marshal(chat["messages"])
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(stored), brokenAnswer); n != 1 {
		t.Errorf("the chat has the answer %d times: %s", n, stored)
	}
	if got := eventNames(again); !slices.Equal(got, []string{"reset", "turn", "tool_call", "tool_result", "token", "message", "done"}) {
		t.Errorf("after the kill: %q", got)
	}
	for _, e := range again {
		if e.Event == "tool_result" && strings.Contains(e.Data, "duration_ms") {
			t.Errorf("told again with a time that nobody knows: %s", e.Data)
		}
	}
	if got := textOf(again); got != brokenAnswer {
		t.Errorf("the stream reads %q", got)
	}
	if n := w.ran(); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
	for i := 1; i < len(again); i++ { // each place to come back from
		rest := w.follow(again[i-1].ID, isNamed("done"))
		if !slices.Equal(rest, again[i:]) {
			t.Fatalf("behind %v: %v, want %v", again[i-1], rest, again[i:])
		}
	}
}

// TestARevokedTokenEndsItsStream at once, while the turn goes on.
func TestARevokedTokenEndsItsStream(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("hello") })
	id := w.makesToken("web:ada", "--level", "read")
	w.do(http.MethodPost, "/chats/main/messages", `{"message":"go"}`, "")
	before := w.token
	w.token = id.Secret
	ended := make(chan time.Duration, 1)
	var revoked atomic.Int64
	opened := make(chan struct{})
	go func() {
		w.follow("an-old-id", func(faces.Record) bool {
			select {
			case <-opened:
			default:
				close(opened)
			}
			return false
		})
		ended <- time.Since(time.Unix(0, revoked.Load()))
	}()
	<-opened
	revoked.Store(time.Now().UnixNano())
	w.verb("token", "revoke", id.ID)
	if took := <-ended; took < 0 || took > patience/2 {
		t.Errorf("the stream ended %v after its token", took)
	}
	if status, _ := w.do(http.MethodGet, "/tools", "", ""); status != http.StatusUnauthorized {
		t.Errorf("a revoked token reads: %d", status)
	}
	w.token = before
	if status, _ := w.do(http.MethodGet, "/tools", "", ""); status != http.StatusOK {
		t.Errorf("another token of the person: %d", status)
	}
}

// TestTheAPIAsksForAToken, also for chats that there are not.
func TestTheAPIAsksForAToken(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("no") })
	for _, path := range []string{"/chats/main", "/chats/main/events", "/chats/a.b", "/tools"} {
		if status, body := get(t, http.MethodGet, w.base+path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}
