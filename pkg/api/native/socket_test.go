package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"parley/internal/test/faces"
	"parley/pkg/httpd"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// socket is an open WebSocket.
type socket struct {
	t    *testing.T
	conn *websocket.Conn
}

// connect opens the socket of the chat main behind an id.
func (w *world) connect(token, after string) *socket {
	w.T.Helper()
	t, ok := w.T.(*testing.T)
	if !ok {
		w.T.Fatal("this is no test")
	}
	path := "ws" + strings.TrimPrefix(w.URL, "http") + "/api/chats/main/socket?after=" + url.QueryEscape(after)
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), path, http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(faces.Patience)); err != nil {
		t.Fatal(err)
	}
	return &socket{t, conn}
}

// next reads a frame as a record: its data are without the type and the place.
func (s *socket) next() (r faces.Record) {
	s.t.Helper()
	_, frame, err := s.conn.ReadMessage()
	if err != nil {
		s.t.Fatal(err)
	}
	var head struct{ Type, Seq string }
	if err := json.Unmarshal(frame, &head); err != nil {
		s.t.Fatalf("%s: %v", frame, err)
	}
	own, err := json.Marshal(head.Type)
	if err != nil {
		s.t.Fatal(err)
	}
	rest := strings.TrimPrefix(string(frame), `{"type":`+string(own))
	rest = strings.TrimPrefix(rest, fmt.Sprintf(`,"seq":%q`, head.Seq))
	return faces.Record{ID: head.Seq, Event: head.Type, Data: "{" + strings.TrimPrefix(rest, ",")}
}

func (s *socket) untilDone() (all []faces.Record) {
	s.t.Helper()
	for {
		r := s.next()
		if all = append(all, r); r.Event == "done" {
			return all
		}
	}
}

func (s *socket) send(frame string) {
	s.t.Helper()
	if err := s.conn.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
		s.t.Fatal(err)
	}
}

// closes reads up to the close frame, and gives its code.
func (s *socket) closes() int {
	s.t.Helper()
	for {
		_, _, err := s.conn.ReadMessage()
		if ended, ok := errors.AsType[*websocket.CloseError](err); ok {
			return ended.Code
		}
		if err != nil {
			s.t.Fatalf("the socket breaks: %v", err)
		}
	}
}

// TestASocketHasTheEventsOfTheStream, the same at each place to come back from.
func TestASocketHasTheEventsOfTheStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looks, look())
	_, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	after := fmt.Sprint(answer["after"])
	want := w.open("ada", "main", after).untilDone()
	if d := cmp.Diff(want, w.connect("ada", after).untilDone()); d != "" {
		t.Error(d)
	}
	for i := range want[:len(want)-1] {
		if d := cmp.Diff(want[i+1:], w.connect("ada", want[i].ID).untilDone()); d != "" {
			t.Errorf("behind %s: %s", want[i].Event, d)
		}
	}
	s := w.connect("ada", "of-another-process-1")
	if r := s.next(); r.Event != "reset" || r.ID == "" {
		t.Fatalf("%v", r)
	}
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go"}`)
	if all := names(s.untilDone()); !slices.Contains(all, "message") {
		t.Errorf("%q", all)
	}
}

// TestASocketNeedsAnUpgrade, and its frames are bounded.
func TestASocketNeedsAnUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looks, look())
	if status, answer := w.do("ada", http.MethodGet, "/chats/main/socket", ""); status != http.StatusUpgradeRequired {
		t.Errorf("%d %v", status, answer)
	}
	if status, _ := w.do("ada", http.MethodGet, "/chats/a.b/socket", ""); status != http.StatusNotFound {
		t.Errorf("an id that is none: %d", status)
	}
	s := w.connect("ada", "")
	for _, frame := range []string{"", "x", "{}", "[]", `{"type":"tool_result"}`, `{"type":"other","tool_call_id":"a","body":1}`} {
		s.send(frame)
		if r := s.next(); r.Event != "error" || !strings.Contains(r.Data, "bad_request") {
			t.Errorf("%q: %v", frame, r)
		}
	}
	large := []byte(`{"type":"tool_result","tool_call_id":"a","body":"` + strings.Repeat("x", 2<<20) + `"}`)
	err := s.conn.WriteMessage(websocket.TextMessage, large)
	if err == nil {
		_, _, err = s.conn.ReadMessage()
	}
	if err == nil {
		t.Error("a frame of 2 MB is answered")
	}
}

// revocable is a keyring whose token can be revoked.
type revocable struct {
	faces.Ring

	valid context.Context // that of the token
}

func (r revocable) Token(ctx context.Context, secret string) (*httpd.Caller, context.Context, error) {
	c, _, err := r.Ring.Token(ctx, secret)
	return c, r.valid, err
}

// TestASocketEnds with its credential within a second, and with the gateway; it says why.
func TestASocketEnds(t *testing.T) {
	t.Parallel()
	valid, revoke := context.WithCancel(context.WithoutCancel(t.Context()))
	defer revoke()
	w := newWorldWith(t, revocable{ring(), valid}, looks)
	s := w.connect("ada", "")
	began := time.Now()
	revoke()
	if code := s.closes(); code != websocket.ClosePolicyViolation {
		t.Errorf("a revoked token: %d", code)
	}
	if took := time.Since(began); took > faces.Patience/10 {
		t.Errorf("it took %v", took)
	}
	w = newWorld(t, looks)
	s = w.connect("ada", "")
	go w.Stop()
	if code := s.closes(); code != websocket.CloseGoingAway {
		t.Errorf("a gateway that stops: %d", code)
	}
}

// TestAPersonHasSomeSockets and no more.
func TestAPersonHasSomeSockets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, looks)
	for range httpd.MaxStreams {
		w.connect("ada", "")
	}
	address := "ws" + strings.TrimPrefix(w.URL, "http") + "/api/chats/main/socket"
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), address, http.Header{"Authorization": {"Bearer ada"}})
	if err == nil {
		_ = conn.Close()
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more: %s", resp.Status)
	}
}

// program is the list of tools of a program, in both forms.
const program = `[
	{"name":"shelf","description":"the shelf","parameters_schema":{"type":"object"},"side_effects":false},
	{"type":"function","function":{"name":"lamp","description":"the lamp","parameters":{"type":"object"}}}
]`

// wants is a model that calls both tools of the program, and then tells their results.
func wants(msgs []providers.Message, _ []providers.ToolDefinition) *providers.LLMResponse {
	var results []string
	for i := range msgs {
		if msgs[i].Role == providers.RoleTool {
			results = append(results, msgs[i].ToolCallID+"="+msgs[i].Content)
		}
	}
	if len(results) > 0 {
		return faces.Says("got " + strings.Join(results, " "))
	}
	r := faces.Calls("", "shelf", `{"n":1}`)
	other := r.ToolCalls[0]
	other.ID, other.Name = "call_2", "lamp"
	r.ToolCalls = append(r.ToolCalls, other)
	return r
}

// TestAProgramRunsItsToolsOnASocket: all results together go on with the turn, once.
func TestAProgramRunsItsToolsOnASocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wants)
	s := w.connect("ada", "")
	if status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go","tools":`+program+`}`); status != http.StatusAccepted {
		t.Fatal(answer)
	}
	first := s.untilDone()
	if got := names(first); !slices.Equal(got, []string{"turn", "tool_call", "tool_call", "done"}) ||
		!strings.Contains(first[1].Data, `"run":"client"`) || !strings.Contains(first[3].Data, `"stop":"tool_calls"`) {
		t.Fatalf("%v", first)
	}
	other := w.connect("helper", "")
	other.send(`{"type":"tool_result","tool_call_id":"call_1","body":"forged"}`)
	if r := other.next(); !strings.Contains(r.Data, "not_found") {
		t.Errorf("another token: %v", r)
	}
	s.send(`{"type":"tool_result","tool_call_id":"call_1","body":{"books": [1]}}`)
	s.send(`{"type":"tool_result","tool_call_id":"call_1","body":"another"}`)
	if r := s.next(); r.Event != "error" || !strings.Contains(r.Data, "conflict") {
		t.Errorf("another result: %v", r)
	}
	s.send(`{"type":"tool_result","tool_call_id":"call_2","body":"on","is_error":true}`)
	accepted := 0
	var second []faces.Record
	for len(second) == 0 || second[len(second)-1].Event != "done" || accepted < 2 {
		if r := s.next(); r.Event == "tool_result_accepted" {
			accepted++
		} else {
			second = append(second, r)
		}
	}
	if got := second[len(second)-1].Data; !strings.Contains(got, `got call_1={\"books\":[1]} call_2=error: on`) {
		t.Errorf("%s", got)
	}
	s.send(`{"type":"tool_result","tool_call_id":"call_1","body":{"books":[1]}}`) // its answer was lost
	if r := s.next(); r.Event != "tool_result_accepted" {
		t.Errorf("the same again: %v", r)
	}
	s.send(`{"type":"tool_result","tool_call_id":"call_1","body":"late"}`)
	if r := s.next(); !strings.Contains(r.Data, "conflict") {
		t.Errorf("late: %v", r)
	}
	s.send(`{"type":"tool_result","tool_call_id":"call_9","body":"?"}`)
	if r := s.next(); !strings.Contains(r.Data, "not_found") {
		t.Errorf("unknown: %v", r)
	}
	if n := w.turns("main"); n != 2 {
		t.Errorf("%d turns", n)
	}
}

// turns counts the turns of Ada's chat, by its history.
func (w *world) turns(chat string) int {
	w.T.Helper()
	w.Settled()
	_, read := w.do("ada", http.MethodGet, "/chats/"+chat, "")
	messages, _ := read["messages"].([]any)
	turns := map[any]bool{}
	for _, m := range messages {
		one, _ := m.(map[string]any)
		turns[one["turn"]] = true
	}
	return len(turns)
}

// TestAProgramSendsItsConversationAgain, with the results: twenty times at once they are one
// turn, other results are refused, and the stored call counts.
func TestAProgramSendsItsConversationAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := newWorld(t, func(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse {
		asked.Add(1)
		return wants(msgs, defs)
	})
	s := w.open("ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"messages":[{"role":"user","content":"go"}],"tools":`+program+`}`)
	s.untilDone()
	again := func(results string) string {
		return `{"tools":` + program + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"","tool_calls":[
			{"id":"call_1","name":"shelf","arguments":{"n":2}},{"id":"call_2","name":"lamp","arguments":"{}"}]},` + results + `]}`
	}
	both := again(`{"role":"tool","tool_call_id":"call_1","content":"one"},{"role":"tool","tool_call_id":"call_2","content":{"on":true}}`)
	for body, want := range map[string]int{
		again(`{"role":"tool","tool_call_id":"call_1","content":"one"}`): http.StatusBadRequest, // the other one waits too
		again(`{"role":"tool","tool_call_id":"call_7","content":"one"}`): http.StatusNotFound,
		again(`{"role":"chorus","content":"one"}`):                       http.StatusBadRequest,
	} {
		if status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", body); status != want {
			t.Errorf("%s: %d %v", body, status, answer)
		}
	}
	if status, _ := w.do("helper", http.MethodPost, "/chats/main/messages", both); status != http.StatusNotFound {
		t.Errorf("another token: %d", status)
	}
	var mu sync.Mutex
	ids := map[any]int{}
	var posts sync.WaitGroup
	for range 20 {
		posts.Go(func() {
			status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", both)
			mu.Lock()
			defer mu.Unlock()
			if ids[answer["message"]]++; status != http.StatusAccepted {
				t.Errorf("%d %v", status, answer)
			}
		})
	}
	posts.Wait()
	all := s.untilDone()
	if got := all[len(all)-1].Data; !strings.Contains(got, `got call_1=one call_2={\"on\":true}`) || len(ids) != 1 || asked.Load() != 2 {
		t.Errorf("%s, %d ids, asked %d times", got, len(ids), asked.Load())
	}
	if status, _ := w.do("ada", http.MethodPost, "/chats/main/messages", both); status != http.StatusAccepted {
		t.Errorf("once it is answered, the same: %d", status)
	}
	late := strings.Replace(both, `"one"`, `"two"`, 1)
	if status, _ := w.do("ada", http.MethodPost, "/chats/main/messages", late); status != http.StatusConflict {
		t.Errorf("once it is answered, another one: %d", status)
	}
	_, chat := w.do("ada", http.MethodGet, "/chats/main", "")
	if stored := fmt.Sprint(chat["messages"]); strings.Contains(stored, "n:2") || !strings.Contains(stored, "n:1") || w.turns("main") != 2 {
		t.Errorf("the chat reads %s", stored)
	}
}

// TestResultsOfWhatWasTakenOut by /undo come too late.
func TestResultsOfWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wants)
	s := w.open("ada", "main", "")
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"messages":[{"role":"user","content":"go"}],"tools":`+program+`}`)
	s.untilDone()
	w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"/undo"}`)
	s.untilDone()
	results := `{"tools":` + program + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":""},
		{"role":"tool","tool_call_id":"call_1","content":"one"},{"role":"tool","tool_call_id":"call_2","content":"two"}]}`
	if status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", results); status != http.StatusConflict {
		t.Errorf("%d %v", status, answer)
	}
}

// TestAToolOfTheGatewayUnderAnotherName runs as itself, with its rights.
func TestAToolOfTheGatewayUnderAnotherName(t *testing.T) {
	t.Parallel()
	var offered atomic.Value
	w := newWorld(t, func(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse {
		var all []string
		for _, d := range defs {
			all = append(all, d.Function.Name)
		}
		offered.Store(strings.Join(all, " "))
		if m := faces.Last(msgs); m.Role == providers.RoleTool {
			return faces.Says(m.Name + " gave " + m.Content)
		}
		return faces.Calls("", "peek", `{}`)
	}, look(), faces.Tool("wipe", tools.Annotations{Level: tools.LevelExec}, func(context.Context) string { return "" }))
	s := w.open("ada", "main", "")
	tool := func(bound string) string {
		return `{"message":"go","tools":[{"name":"peek","description":"look","bound_capability":"` + bound + `"}]}`
	}
	if status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", tool("look")); status != http.StatusAccepted {
		t.Fatal(answer)
	}
	all := s.untilDone()
	if !strings.Contains(all[1].Data, `"name":"look"`) || !strings.Contains(all[1].Data, `"run":"server"`) ||
		!strings.Contains(all[len(all)-1].Data, "peek gave seen") || offered.Load() != "peek" {
		t.Errorf("offered %v: %v", offered.Load(), all)
	}
	for _, bound := range []string{"wipe", "nothing"} { // beyond the level of the token, and unknown
		if status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", tool(bound)); status != http.StatusForbidden {
			t.Errorf("%s: %d %v", bound, status, answer)
		}
	}
	for _, one := range []string{`{"name":"a b"}`, `{"name":""}`, `{"name":"a"},{"name":"a"}`, `{"name":"a","parameters":[]}`, `7`} {
		status, _ := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go","tools":[`+one+`]}`)
		if status != http.StatusBadRequest {
			t.Errorf("%s: %d", one, status)
		}
	}
}

// TestResultsTooLongTogether are refused with the first one that is too much, and a shorter one
// goes on.
func TestResultsTooLongTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wants)
	s := w.connect("ada", "")
	if status, answer := w.do("ada", http.MethodPost, "/chats/main/messages", `{"message":"go","tools":`+program+`}`); status != http.StatusAccepted {
		t.Fatal(answer)
	}
	s.untilDone()
	s.send(`{"type":"tool_result","tool_call_id":"call_1","body":"` + strings.Repeat("x", 700<<10) + `"}`)
	s.send(`{"type":"tool_result","tool_call_id":"call_2","body":"` + strings.Repeat("y", 700<<10) + `"}`)
	if r := s.next(); r.Event != "error" || !strings.Contains(r.Data, `"too_large"`) || !strings.Contains(r.Data, "call_2") {
		t.Errorf("%.300v", r)
	}
	s.send(`{"type":"tool_result","tool_call_id":"call_2","body":"short"}`)
	if r := s.next(); r.Event == "error" {
		t.Errorf("%.300v", r)
	}
}

// TestToolsThatGrowTooLong: what is no text grows while it is read, and the answer tells so.
func TestToolsThatGrowTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wants)
	body := `{"message":"go","tools":[{"name":"t","description":"` + strings.Repeat("\xff", 500_000) + `"}]}`
	got := w.raw("ada", http.MethodPost, "/chats/main/messages", strings.NewReader(body), "Content-Type", "application/json")
	if got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %.300s", got.status, got.body)
	}
}
