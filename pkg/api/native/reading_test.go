package native_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faces"
	"parley/pkg/providers"
	"parley/pkg/tools"
)

// row is a chat as the page lists it.
type row struct {
	Chat, Title  string
	Unread, Asks int
}

// changed reads a stream until a chat looks a certain way in the list.
func (s *stream) changed(want row) {
	s.t.Helper()
	for {
		r := s.next()
		if r.Event != "chat_changed" {
			continue
		}
		if r.ID != "" {
			s.t.Errorf("it has the id %s of an event of the chat", r.ID)
		}
		var got row
		if err := json.Unmarshal([]byte(r.Data), &got); err != nil {
			s.t.Fatal(r.Data, err)
		}
		if got.Chat != "one" && got.Chat != "two" {
			s.t.Fatalf("the page is told of the chat %+v", got)
		}
		if got == want {
			return
		}
	}
}

// rows is the list of chats that a browser reads.
func (w *world) rows(who string) (all []row) {
	w.T.Helper()
	_, answer := w.do(who, http.MethodGet, "/chats", "")
	raw, err := json.Marshal(answer["chats"])
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		w.T.Fatal(answer, err)
	}
	return all
}

// TestThePageIsToldOfTheOtherChats of its person, and of no chat of another one: what is new there
// until it was seen, and the questions that are open.
func TestThePageIsToldOfTheOtherChats(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asks, faces.Tool("wipe", tools.Annotations{Destructive: true, Level: tools.LevelWrite}, func(context.Context) string {
		return "wiped"
	}))
	first, second := w.open("page:ada", "one", ""), w.open("page:ada", "one", "")
	program := w.open("ada", "two", "")
	w.do("bob", http.MethodPost, "/chats/one/messages", `{"message":"Bob's own"}`)
	w.do("page:ada", http.MethodPost, "/chats/two/messages", `{"message":"Wipe it"}`)
	for _, r := range program.untilDone() {
		if r.Event == "chat_changed" {
			t.Errorf("a program is told %v", r)
		}
	}
	asked := row{Chat: "two", Title: "Wipe it", Unread: 1, Asks: 1}
	for _, s := range []*stream{first, second} {
		s.changed(asked)
	}
	if d := cmp.Diff([]row{asked}, w.rows("page:ada")); d != "" {
		t.Error(d)
	}
	if status, _ := w.do("page:ada", http.MethodPost, "/chats/two/seen", "{}"); status != http.StatusOK {
		t.Error(status)
	}
	asked.Unread = 0
	for _, s := range []*stream{first, second} {
		s.changed(asked)
	}
	_, chat := w.do("page:ada", http.MethodGet, "/chats/two", "")
	open, _ := chat["approvals"].([]any)
	one, _ := open[0].(map[string]any)
	id, _ := one["id"].(string)
	w.do("page:ada", http.MethodPost, "/chats/two/approvals/"+id, `{"decision":"deny"}`)
	program.untilDone()
	for _, s := range []*stream{first, second} {
		s.changed(row{Chat: "two", Title: "Wipe it", Unread: 1})
	}
	for _, unknown := range []string{"none", "a.b"} { // a chat without words, and no id
		if status, _ := w.do("page:ada", http.MethodPost, "/chats/"+unknown+"/seen", "{}"); (status == http.StatusOK) != (unknown == "none") {
			t.Errorf("%s: %d", unknown, status)
		}
	}
	if got := w.rows("ada"); len(got) != 1 || got[0].Unread != 0 {
		t.Errorf("a program lists %+v", got)
	}
}

// TestAChatOfOneRequestIsListedWhileItAsks: on the page, where a person answers; programs and chats
// without questions have no row.
func TestAChatOfOneRequestIsListedWhileItAsks(t *testing.T) {
	t.Parallel()
	var wiped atomic.Int64
	w := newWorld(t, hello, callable(t, &wiped)...)
	if status, answer := w.do("approver", http.MethodPost, "/tools/call", `{"target_capability":"look"}`); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	_, answer := w.do("approver", http.MethodPost, "/tools/call", `{"target_capability":"wipe"}`)
	chat, _ := answer["chat"].(string)
	question, _ := answer["confirmation_required"].(map[string]any)
	if got := w.rows("page:ada"); len(got) != 1 || got[0].Chat != chat || got[0].Asks != 1 {
		t.Errorf("the page lists %+v, and %s asks", got, chat)
	}
	for _, who := range []string{"ada", "page:bob"} {
		if got := w.rows(who); len(got) != 0 {
			t.Errorf("%s is told of %+v", who, got)
		}
	}
	s := w.open("page:ada", "main", "")
	w.do("page:ada", http.MethodPost, fmt.Sprintf("/chats/%s/approvals/%v", chat, question["id"]), `{"decision":"deny"}`)
	for r := s.next(); ; r = s.next() {
		var got row
		if err := json.Unmarshal([]byte(r.Data), &got); r.Event == "chat_changed" && err == nil && got.Chat == chat && got.Asks == 0 {
			break
		}
	}
	if got := w.rows("page:ada"); len(got) != 0 {
		t.Errorf("the page still lists %+v", got)
	}
}

// TestMessagesThatWaitAreRead by a page that is loaded: also the one of the running turn, in their
// order, and not the order to stop.
func TestMessagesThatWaitAreRead(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}, 9), make(chan struct{})
	w := newWorld(t, func([]providers.Message, []providers.ToolDefinition) *providers.LLMResponse {
		begun <- struct{}{}
		<-release
		return faces.Says("done ")
	})
	waiting := func(who string) []string {
		t.Helper()
		_, chat := w.do(who, http.MethodGet, "/chats/main", "")
		all, _ := chat["queued"].([]any)
		texts := []string{}
		for _, m := range all {
			one, _ := m.(map[string]any)
			text, _ := one["text"].(string)
			texts = append(texts, text)
			if id, _ := one["message"].(string); id == "" || one["time"] == nil {
				t.Errorf("%v", one)
			}
		}
		return texts
	}
	without := func(all []string, text string) []string {
		return slices.DeleteFunc(all, func(s string) bool { return s == text })
	}
	if got := waiting("page:ada"); len(got) != 0 {
		t.Errorf("a new chat has %q", got)
	}
	for _, text := range []string{"one", "two", "three"} {
		w.do("page:ada", http.MethodPost, "/chats/main/messages", `{"message":"`+text+`"}`)
	}
	<-begun
	if got := w.rows("page:ada"); len(got) != 1 || got[0].Title != "one" {
		t.Errorf("a chat whose first turn runs is listed as %+v", got)
	}
	for _, text := range []string{"/stopwatch", "/stop"} { // the second ends the first turn, when that looks
		w.do("page:ada", http.MethodPost, "/chats/main/messages", `{"message":"`+text+`"}`)
	}
	if d := cmp.Diff([]string{"two", "three", "/stopwatch"}, without(waiting("page:ada"), "one")); d != "" {
		t.Error(d)
	}
	if got := waiting("ada"); len(got) != 0 {
		t.Errorf("a program reads %q", got)
	}
	if got := waiting("page:bob"); len(got) != 0 {
		t.Errorf("another person reads %q", got)
	}
	close(release)
	w.Settled()
	if got := waiting("page:ada"); len(got) != 0 {
		t.Errorf("behind their turns: %q", got)
	}
}
