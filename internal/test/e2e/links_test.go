package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/audit"
)

// loggedIn are the operator's browser and that of web:ada, who may read.
func (w *world) loggedIn(addr string) (operator, ada *page) {
	w.t.Helper()
	operator, ada = w.browser(addr), w.browser(addr)
	_, code, _ := strings.Cut(w.link(), "/#login=")
	operator.json(http.MethodPost, "/login/link", `{"code":"`+code+`"}`)
	_, asked := ada.json(http.MethodPost, "/login/ask", `{"name":"ada"}`)
	shown, _ := asked["code"].(string)
	w.verb("pair", "approve", shown)
	if _, said := ada.json(http.MethodPost, "/login/wait", "{}"); said["state"] != "in" {
		w.t.Fatalf("waiting: %v", said)
	}
	return operator, ada
}

// linkCode is the code in the answer to /link.
var linkCode = regexp.MustCompile(`[A-Z0-9]{8}`)

// linking writes /link in a chat and gives the code, as the n-th message there.
func linkingIn(w *telegramWorld, chat *faketelegram.Chat, n int) string {
	w.t.Helper()
	chat.Say("/link")
	w.await("the code", func() bool { return len(chat.Texts()) >= n })
	return linkCode.FindString(chat.Texts()[n-1])
}

// put types a code on a page.
func (p *page) put(code string) (status int, chat string) {
	p.w.t.Helper()
	raw, _ := json.Marshal(map[string]string{"code": code})
	status, said := p.json(http.MethodPost, "/page/links", string(raw))
	chat, _ = said["chat"].(string)
	return status, chat
}

// TestLinkedChats: a chat of Telegram is on the page of who typed its code there, whole, while it
// grows, and over a kill; it is on no other page, and no request of the page writes to it. /unlink,
// the page's own button and a revocation end its streams.
func TestLinkedChats(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	w := prepareTelegram(t, tg, echoes, rig.Config{
		HTTP: addr, LogLevel: "trace", Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()},
	})
	w.run()
	w.isReady(addr)
	operator, ada := w.loggedIn(addr)
	chat.Say("first words")
	w.await("the answer", func() bool { return len(chat.Texts()) == 1 })
	code := linkingIn(w, chat, 2)

	if status, _ := ada.put("AAAAAAAA"); status != http.StatusNotFound {
		t.Errorf("a wrong code: %d", status)
	}
	status, id := ada.put(strings.ToLower(code))
	if status != http.StatusOK {
		t.Fatalf("the code %q: %d", code, status)
	}
	if status, _ := operator.put(code); status != http.StatusNotFound {
		t.Errorf("a used code: %d", status)
	}
	here := "/page/chats/" + id
	stream := bufio.NewReader(ada.do(http.MethodGet, here+"/events", "").body)
	chat.Say("more words")
	grown := until(t, stream, "event: done")
	for _, part := range []string{"event: turn", `"text":"more words"`, "event: token", "event: message", `"text":"heard: more words"`} {
		if !strings.Contains(grown, part) {
			t.Errorf("the stream has no %s:\n%s", part, grown)
		}
	}
	w.kill()
	w.start()
	w.isReady(addr)
	_, list := ada.json(http.MethodGet, "/page/chats", "")
	if rows, _ := json.Marshal(list["chats"]); !strings.Contains(string(rows), `"channel":"telegram"`) ||
		!strings.Contains(string(rows), id) || !strings.Contains(string(rows), `"title":"first words"`) {
		t.Errorf("the list: %s", rows)
	}
	_, whole := ada.json(http.MethodGet, here, "")
	raw, _ := json.Marshal(whole["messages"])
	for _, part := range []string{"first words", "heard: first words", "more words", "heard: more words"} {
		if n := strings.Count(string(raw), `"text":"`+part+`"`); n != 1 {
			t.Errorf("%q is there %d times: %s", part, n, raw)
		}
	}

	before := len(chat.Texts())
	for _, of := range []struct {
		who    *page
		method string
		path   string
		body   string
	}{
		{operator, http.MethodGet, here, ""},
		{operator, http.MethodGet, here + "/events", ""},
		{operator, http.MethodPost, "/page/links/" + id + "/end", "{}"},
		{ada, http.MethodPost, here + "/messages", `{"message":"from the page"}`},
		{ada, http.MethodPost, here + "/stop", "{}"},
		{ada, http.MethodPost, here + "/seen", "{}"},
		{ada, http.MethodPost, here + "/files?name=a", "x"},
		{ada, http.MethodPost, here + "/approvals/x", `{"decision":"deny"}`},
		{ada, http.MethodGet, here + "/socket", ""},
		{ada, http.MethodGet, "/page/chats/link-aaaaaaaaaaaaaaaa", ""},
	} {
		if status := of.who.do(of.method, of.path, of.body).status; status < 400 || status >= 500 {
			t.Errorf("%s %s: %d", of.method, of.path, status)
		}
	}
	if len(chat.Texts()) != before {
		t.Errorf("the page wrote to the chat: %q", chat.Texts()[before:])
	}
	if _, list := operator.json(http.MethodGet, "/page/chats", ""); strings.Contains(toJSON(list), "telegram") {
		t.Errorf("another page has it: %v", list)
	}

	said := before
	for name, end := range map[string]func(id string){
		"/unlink":  func(string) { chat.Say("/unlink"); said++ },
		"the page": func(id string) { ada.json(http.MethodPost, "/page/links/"+id+"/end", "{}") },
	} {
		said++
		_, id := ada.put(linkingIn(w, chat, said))
		ends(t, ada, id, name, func() { end(id) })
		w.await("the answer to "+name, func() bool { return len(chat.Texts()) == said })
	}
	said++
	_, id = ada.put(linkingIn(w, chat, said))
	ends(t, ada, id, "the operator", func() { w.verb("pair", "revoke", "web:ada") }) // it logs ada out
	w.chats[chat] = chat.Texts()
	audited := w.linksAudited()
	for _, want := range []string{"shown", "ended by /unlink", "ended by the page", "ended by pair revoke web:ada"} {
		if !strings.Contains(audited, want) {
			t.Errorf("the audit log does not have %q:\n%s", want, audited)
		}
	}
	if shown, ended := strings.Count(audited, "shown"), strings.Count(audited, "ended"); shown != 4 || ended != 4 {
		t.Errorf("%d links made, %d ended:\n%s", shown, ended, audited)
	}
}

// linksAudited are the rows of the audit log about links.
func (w *world) linksAudited() string {
	w.t.Helper()
	var all strings.Builder
	out, err := w.gw.Command(w.ctx, nil, "audit", "show", "--json", "--last", "0", "--kind", "link").Output()
	for dec := json.NewDecoder(bytes.NewReader(out)); err == nil && dec.More(); {
		var row audit.Row
		if err = dec.Decode(&row); err == nil {
			fmt.Fprintf(&all, "%s %s %s\n", row.Channel, row.Outcome, strings.TrimPrefix(row.Detail, "page of "+row.Sender+" "))
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return all.String()
}

// TestALinkEndsWithTheRightOfItsPerson: a chat whose person may no longer speak there is on no page,
// nor is it put on one by a code from before.
func TestALinkEndsWithTheRightOfItsPerson(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	tg := faketelegram.New(t)
	person := tg.User("Ada")
	chat := tg.Private(person)
	w := prepareTelegram(t, tg, echoes, rig.Config{
		HTTP: addr, LogLevel: "trace", Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()},
	})
	w.run()
	w.isReady(addr)
	_, ada := w.loggedIn(addr)
	chat.Say("hello")
	w.await("the answer", func() bool { return len(chat.Texts()) == 1 })
	status, id := ada.put(linkingIn(w, chat, 2))
	if status != http.StatusOK {
		t.Fatal(status)
	}
	w.chats[chat] = chat.Texts()
	w.process.Signal(syscall.SIGTERM)
	if _, err := w.process.Wait(w.ctx); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.gw.ConfigPath())
	if err == nil {
		err = os.WriteFile(w.gw.ConfigPath(), bytes.Replace(text, []byte("allow_everyone: true"), []byte("allow_everyone: false"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.start()
	w.isReady(addr)
	if _, list := ada.json(http.MethodGet, "/page/chats", ""); strings.Contains(toJSON(list), "telegram") {
		t.Errorf("the list has it: %v", list)
	}
	for _, path := range []string{"/page/chats/" + id, "/page/chats/" + id + "/events"} {
		if status := ada.do(http.MethodGet, path, "").status; status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}

	chat.Say("May I?") // a stranger now, who is given a code to pair
	w.await("the code", func() bool { return len(chat.Texts()) == 3 })
	w.verb("pair", "approve", linkCode.FindString(chat.Texts()[2]))
	w.await("the welcome", func() bool { return len(chat.Texts()) == 4 })
	if _, list := ada.json(http.MethodGet, "/page/chats", ""); !strings.Contains(toJSON(list), "telegram") {
		t.Errorf("the list does not have the chat of a paired person: %v", list)
	}
	code := linkingIn(w, chat, 5)
	ends(t, ada, id, "a revoked pair", func() { w.verb("pair", "revoke", fmt.Sprintf("telegram:%d", person.ID)) })
	if status, _ := ada.put(code); status != http.StatusNotFound {
		t.Errorf("the code of a person who is revoked: %d", status)
	}
	w.chats[chat] = chat.Texts()
}

// ends checks that the stream of a linked chat ends within a second of its link.
func ends(t *testing.T, of *page, id, name string, end func()) {
	t.Helper()
	stream := bufio.NewReader(of.do(http.MethodGet, "/page/chats/"+id+"/events", "").body)
	if _, err := stream.ReadString('\n'); err != nil {
		t.Fatal(name, err)
	}
	over := make(chan time.Time, 1)
	go func() {
		for {
			if _, err := stream.ReadString('\n'); err != nil {
				over <- time.Now()
				return
			}
		}
	}()
	end()
	began := time.Now()
	if took := (<-over).Sub(began); took > time.Second {
		t.Errorf("%s: the stream ended after %v", name, took)
	}
	if status, _ := of.json(http.MethodGet, "/page/chats/"+id, ""); status != http.StatusNotFound && status != http.StatusUnauthorized {
		t.Errorf("%s: the chat is still there: %d", name, status)
	}
}

// until reads lines to the first that has a beginning.
func until(t *testing.T, r *bufio.Reader, beginning string) string {
	t.Helper()
	var all strings.Builder
	for {
		line, err := r.ReadString('\n')
		all.WriteString(line)
		if strings.HasPrefix(line, beginning) {
			return all.String()
		}
		if err != nil {
			t.Fatalf("%v behind %s", err, all.String())
		}
	}
}

func toJSON(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// TestLinkedGroups: a group is shown to owners only, and the code that another person typed is
// still good for them.
func TestLinkedGroups(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	tg := faketelegram.New(t)
	group := tg.Group("all", tg.User("Ada"), tg.User("Bert"))
	w := prepareTelegram(t, tg, echoes, rig.Config{
		HTTP: addr, LogLevel: "trace", Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()},
	})
	w.run()
	w.isReady(addr)
	operator, ada := w.loggedIn(addr)
	group.Say("/link" + strings.TrimSpace(mention(tg)))
	w.await("the code", func() bool { return len(group.Texts()) == 1 })
	code := linkCode.FindString(group.Texts()[0])
	if status, _ := ada.put(code); status != http.StatusForbidden {
		t.Errorf("a person who is no owner: %d", status)
	}
	status, id := operator.put(code)
	if status != http.StatusOK {
		t.Fatalf("an owner: %d", status)
	}
	if status, said := operator.json(http.MethodGet, "/page/chats/"+id, ""); status != http.StatusOK {
		t.Errorf("%d %v", status, said)
	}
	w.chats[group] = group.Texts()
}

// TestALinkedGroupMoves: a group that Telegram gives another id stays on the page under its own, with
// the words from before; a stream of it ends there, and goes on at the new one.
func TestALinkedGroupMoves(t *testing.T) {
	t.Parallel()
	addr := freeAddr(t)
	tg := faketelegram.New(t)
	group := tg.Group("all", tg.User("Ada"), tg.User("Bert"))
	w := prepareTelegram(t, tg, echoes, rig.Config{
		HTTP: addr, LogLevel: "trace", Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()},
	})
	w.run()
	w.isReady(addr)
	operator, ada := w.loggedIn(addr)
	group.Say(mention(tg) + "before")
	w.await("the answer", func() bool { return len(group.Texts()) == 1 })
	group.Say("/link" + strings.TrimSpace(mention(tg)))
	w.await("the code", func() bool { return len(group.Texts()) == 2 })
	status, id := operator.put(linkCode.FindString(group.Texts()[1]))
	if status != http.StatusOK {
		t.Fatal(status)
	}
	here := "/page/chats/" + id
	stream := bufio.NewReader(operator.do(http.MethodGet, here+"/events", "").body)
	if _, err := stream.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	to := group.Migrate()
	if _, err := io.Copy(io.Discard, stream); err != nil {
		t.Errorf("the stream at the former id: %v", err)
	}
	stream = bufio.NewReader(operator.do(http.MethodGet, here+"/events", "").body)
	to.Say(mention(tg) + "after")
	if grown := until(t, stream, "event: done"); !strings.Contains(grown, "heard: ") {
		t.Errorf("the stream at the new id: %s", grown)
	}
	w.await("the next answer", func() bool { return len(to.Texts()) == 1 })
	_, whole := operator.json(http.MethodGet, here, "")
	for _, part := range []string{"before", "after"} {
		if !strings.Contains(toJSON(whole["messages"]), part) {
			t.Errorf("%q is not there: %v", part, whole)
		}
	}
	_, list := operator.json(http.MethodGet, "/page/chats", "")
	if strings.Count(toJSON(list), `"channel":"telegram"`) != 1 || !strings.Contains(toJSON(list), id) {
		t.Errorf("the list: %v", list)
	}
	if status := ada.do(http.MethodGet, here, "").status; status != http.StatusNotFound {
		t.Errorf("another person: %d", status)
	}
	w.verb("sessions", "forget", "--yes", fmt.Sprintf("telegram:%d", to.ID()))
	if status := operator.do(http.MethodGet, here, "").status; status != http.StatusNotFound {
		t.Errorf("forgotten: %d", status)
	}
	if audited := w.linksAudited(); !strings.Contains(audited, "ended by sessions forget") {
		t.Errorf("the audit log: %s", audited)
	}
	w.chats[group], w.chats[to] = group.Texts(), to.Texts()
}
