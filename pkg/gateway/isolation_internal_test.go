package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/internal/test/apidoc"
	"parley/internal/test/faces"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/gateway/admin"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// served is a gateway that runs, with tokens of two people.
type served struct {
	*App

	t *testing.T
}

// serving runs the gateway until the test ends.
func serving(t *testing.T, a *App) *served {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, func(context.Context, string, error) bool { return false }) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for {
		resp, err := http.Get(a.front.server.Address() + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return &served{a, t}
			}
		}
		<-time.After(time.Millisecond)
	}
}

// token makes a token with all rights.
func (s *served) token(person, id string) string {
	s.t.Helper()
	secret, hash := httpd.NewToken()
	if err := s.store.Tokens().PutToken(s.t.Context(), hash, session.Token{
		ID: id, Person: person, Level: "write", Rights: []string{"approve", "call_tools"},
	}); err != nil {
		s.t.Fatal(err)
	}
	return secret
}

// ask gives the status and the first part of an answer: a stream is read for a moment.
func (s *served) ask(token, method, path, body string) (status int, answer string) {
	s.t.Helper()
	return s.asks(token, method, path, body)
}

// asks does it with more fields of the header.
func (s *served) asks(token, method, path, body string, header ...string) (status int, answer string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), faces.Patience)
	defer cancel()
	resp := faces.Send(ctx, s.t, method, s.front.server.Address()+path, token, body, header...)
	defer func() { _ = resp.Body.Close() }()
	if method == http.MethodGet && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		time.AfterFunc(200*time.Millisecond, cancel)
	}
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw)
}

// TestIdsOfOthersAreUnknown walks all operations of the OpenAPI document: with the ids of Ada's things Bob gets the same
// answers as with ids that nobody has, and none of Ada's words.
func TestIdsOfOthersAreUnknown(t *testing.T) {
	t.Parallel()
	s := serving(t, newServed(t, "{provider: offline}"))
	bob := s.token("web:bob", "b")
	w := s.walker(func(method, path, body string) (int, string) { return s.ask(bob, method, path, body) })
	for _, op := range apidoc.Load(t).Operations() {
		w.walk(op.Method, op.Path, op.Path)
	}
	if w.walked < 15 {
		t.Errorf("only %d requests were made", w.walked)
	}
}

// TestThePageKnowsNoIdsOfOthers walks all routes of the page in the same way, as Bob's browser asks them.
func TestThePageKnowsNoIdsOfOthers(t *testing.T) {
	t.Parallel()
	s := serving(t, newServed(t, "{provider: offline}"))
	cookie := s.login("web:bob", "b")
	w := s.walker(func(method, path, body string) (int, string) {
		header := []string{"Cookie", cookie, "Origin", s.front.server.Address()}
		if strings.HasSuffix(path, "/files") {
			header = append(header, httpd.UploadHeader, "1")
		}
		return s.asks("", method, path, body, header...)
	})
	for _, ids := range []map[string]string{w.ids, w.unknown} { // Bob has chats of the same names
		status, answer := w.ask(http.MethodPost, "/page/chats/"+ids["chat"]+"/messages", `{"message":"hello"}`)
		if status != http.StatusAccepted {
			t.Fatal(status, answer)
		}
		for answer := ""; !strings.Contains(answer, "final/0") || strings.Contains(answer, `"queued"`); {
			<-time.After(time.Millisecond)
			_, answer = w.ask(http.MethodGet, "/page/chats/"+ids["chat"], "")
		}
	}
	for _, r := range s.front.server.Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		if r.Access == httpd.AccessPage && path != "/page/logout" { // which would end the walk
			w.walk(method, path, strings.Replace(path, "/page/", "/api/", 1))
		}
	}
	if w.walked < 18 {
		t.Errorf("only %d requests were made", w.walked)
	}
}

// walker asks for Ada's things in Bob's name.
type walker struct {
	s            *served
	ids, unknown map[string]string
	ask          func(method, path, body string) (status int, answer string)
	walked       int
}

// herWords are in each of Ada's things.
const herWords = "a secret of hers"

func (s *served) walker(ask func(method, path, body string) (int, string)) *walker {
	s.t.Helper()
	ids := s.thingsOf(s.token("web:ada", "a"), herWords)
	return &walker{s: s, ids: ids, ask: ask, unknown: map[string]string{
		"chat": "nobodys", "approval": strings.Repeat("z", len(ids["approval"])), "id": strings.Replace(ids["id"], "_once-", "_once-0", 1),
		"file": "u" + strings.Repeat("0", len(ids["file"])-1), "job": "nosuch", "what": ids["what"],
		"link": "link-" + strings.Repeat("z", len(ids["link"])-len("link-")),
	}}
}

// placeholder is the place of an id in a path or a body.
var placeholder = regexp.MustCompile(`\{\w+\}`)

// walk asks for one path with the ids of Ada's things, and with ids that nobody has. Like is the path of the document that
// takes the same bodies.
func (w *walker) walk(method, path, like string) {
	w.s.t.Helper()
	if strings.Contains(path, "/jobs/{id}") {
		path = strings.Replace(path, "{id}", "{job}", 1)
	}
	bodies := []string{""}
	if method == http.MethodPost {
		bodies = idBodies(like)
	}
	for _, body := range bodies {
		var answers [2]string
		for i, with := range []map[string]string{w.ids, w.unknown} {
			at, sent := path, body
			for name, id := range with {
				at = strings.ReplaceAll(at, "{"+name+"}", id)
				sent = strings.ReplaceAll(sent, "{"+name+"}", id)
			}
			if strings.Contains(at, "{") {
				w.s.t.Fatalf("%s: say in this test which id of Ada's its parameter takes", path)
			}
			status, answer := w.ask(method, at, sent)
			if strings.Contains(answer, herWords) {
				w.s.t.Errorf("%s %s %s tells Bob what Ada said: %s", method, at, sent, answer)
			}
			for name := range w.ids {
				answer = strings.NewReplacer(w.ids[name], "ID", w.unknown[name], "ID").Replace(answer)
			}
			answers[i] = fmt.Sprint(status, " ", shape(answer, status))
		}
		// Without an id both are one request, whose answer may change between the two.
		if placeholder.MatchString(path+body) && answers[0] != answers[1] {
			w.s.t.Errorf("%s %s %s: with an id of Ada's %s, with nobody's %s", method, path, body, answers[0], answers[1])
		}
		w.walked++
	}
}

// TestRevocationEndsEachKindOfStream within a second, and the WebSocket too: none waits for its next sign of life, nor for the
// model. A token is revoked as parley token revoke does, a person's sessions as pair revoke does, and one as a logout does.
func TestRevocationEndsEachKindOfStream(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Let me see. "}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(model.Close)
	s := serving(t, newServed(t, fmt.Sprintf(`{provider: openai, model: m, base_url: %q, api_key: "env:K"}`, model.URL)))
	for _, c := range []struct {
		kind, by, method, path, body string
		of                           string // the person
	}{
		{"native", "token revoke", http.MethodGet, "/api/chats/main/events", "", "ada"},
		{
			"chat", "token revoke", http.MethodPost, "/v1/chat/completions",
			`{"model":"parley","stream":true,"messages":[{"role":"user","content":"x"}]}`, "ben",
		},
		{"responses", "token revoke", http.MethodPost, "/v1/responses", `{"model":"parley","stream":true,"input":"x"}`, "cat"},
		{
			"agui", "token revoke", http.MethodPost, "/agui",
			`{"threadId":"t","runId":"1","messages":[{"role":"user","content":"x"}]}`, "dan",
		},
		{"socket", "token revoke", "", "/api/chats/main/socket", "", "eve"},
		{"page", "logout", http.MethodGet, "/page/chats/main/events", "", "fay"},
		{"page socket", "logout", "", "/page/chats/main/socket", "", "gus"},
		{"page", "pair revoke", http.MethodGet, "/page/chats/main/events", "", "hal"},
		{"page socket", "pair revoke", "", "/page/chats/main/socket", "", "ivy"},
	} {
		t.Run(c.kind+" by "+c.by, func(t *testing.T) {
			t.Parallel()
			token, cookie := s.token("web:"+c.of, "t-"+c.of), s.login("web:"+c.of, "s-"+c.of)
			stream := s.opens(t, c.method, c.path, c.body, token, cookie)
			begins := make([]byte, 1)
			if c.method != "" {
				if _, err := stream.Read(begins); err != nil {
					t.Fatal(err)
				}
			}
			ended := make(chan time.Time, 1)
			go func() {
				_, _ = io.Copy(io.Discard, stream)
				ended <- time.Now()
			}()
			began := time.Now()
			s.revokes(t, c.by, c.of, cookie)
			select {
			case at := <-ended:
				if took := at.Sub(began); took > time.Second {
					t.Errorf("it ended after %v", took)
				}
			case <-time.After(10 * time.Second):
				t.Error("it goes on")
			}
		})
	}
}

// opens opens a stream, or a WebSocket where there is no method, whose end is that of the reader.
func (s *served) opens(t *testing.T, method, path, body, token, cookie string) io.Reader {
	t.Helper()
	header := []string{"Origin", s.front.server.Address(), "Cookie", cookie}
	if method == "" {
		method = http.MethodGet
		header = append(header, "Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13",
			"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
	}
	resp := faces.Send(t.Context(), t, method, s.front.server.Address()+path, token, body, header...)
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp.Status)
	}
	return resp.Body
}

// revokes ends the credentials of a person in one of the ways.
func (s *served) revokes(t *testing.T, by, person, cookie string) {
	t.Helper()
	switch by {
	case "logout":
		resp := faces.Send(t.Context(), t, http.MethodPost, s.front.server.Address()+"/page/logout", "", "{}", "Cookie", cookie,
			"Origin", s.front.server.Address())
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent {
			t.Error(resp.Status)
		}
	case "token revoke":
		s.operates(t, admin.RevokeToken(), &admin.Request{Token: &admin.TokenRequest{ID: "t-" + person}})
	default:
		s.operates(t, admin.RevokePairs(), &admin.Request{Pair: "web:" + person})
	}
}

func (s *served) operates(t *testing.T, op admin.Operation, r *admin.Request) {
	t.Helper()
	if err := s.Operations().Do(t.Context(), op.Name, r, func(any) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestWrongCredentialsCostNothing: ten thousand wrong tokens and cookies take no memory, and keep out nobody.
func TestWrongCredentialsCostNothing(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const many, most = 10_000, 2 << 20
	s := serving(t, newServed(t, "{provider: offline}"))
	token, cookie := s.token("web:ada", "a"), s.login("web:ada", "page")
	host := strings.TrimPrefix(s.front.server.Address(), "http://")
	ask := func(method, path, token, cookie string) int {
		r := httptest.NewRequest(method, path, strings.NewReader("{}"))
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", s.front.server.Address())
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		s.front.server.ServeHTTP(w, r)
		return w.Code
	}
	name, _, _ := strings.Cut(cookie, "=")
	tries := func() {
		for range many {
			wrong, _ := httpd.NewToken()
			login, _ := httpd.NewSession()
			api, page := ask(http.MethodGet, "/api/me", wrong, ""), ask(http.MethodGet, "/page/me", "", name+"="+login)
			if api != http.StatusUnauthorized || page != http.StatusUnauthorized {
				t.Fatalf("%d %d", api, page)
			}
		}
	}
	before := held()
	tries()
	if more := held() - before; more > most {
		t.Errorf("%d wrong credentials hold %d bytes", many, more)
	}
	if waits := s.front.door.Waiting(); len(waits) > 0 {
		t.Errorf("%d browsers wait", len(waits))
	}
	if api, page := ask(http.MethodGet, "/api/me", token, ""), ask(http.MethodGet, "/page/me", "", cookie); api != 200 || page != 200 {
		t.Errorf("the right ones: %d %d", api, page)
	}
}

// held is the memory in use.
func held() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// login makes a session of the page, and gives its cookie.
func (s *served) login(person, id string) string {
	s.t.Helper()
	secret, hash := httpd.NewSession()
	now := time.Now()
	one := session.Token{ID: id, Person: person, Page: true, Created: now, Expires: now.Add(time.Hour)} // one without an end is over
	if err := s.store.Tokens().PutToken(s.t.Context(), hash, one); err != nil {
		s.t.Fatal(err)
	}
	return s.front.server.CookieName(s.front.server.Address()) + "=" + secret
}

// thingsOf makes a chat with an open question, a file and a schedule, and a response, of Ada.
func (s *served) thingsOf(token, words string) map[string]string {
	s.t.Helper()
	ids := map[string]string{"chat": "hers", "what": "status"}
	var call struct {
		Question struct{ ID string } `json:"confirmation_required"`
	}
	body := fmt.Sprintf(`{"target_capability":"write_file","chat":"hers","target_body":{"path":"a.md","content":%q}}`, words)
	status, answer := s.ask(token, http.MethodPost, "/api/tools/call", body)
	if err := json.Unmarshal([]byte(answer), &call); err != nil || status != http.StatusAccepted {
		s.t.Fatalf("%d %s", status, answer)
	}
	var response struct{ ID string }
	status, answer = s.ask(token, http.MethodPost, "/v1/responses", fmt.Sprintf(`{"model":"parley","input":%q}`, words))
	if err := json.Unmarshal([]byte(answer), &response); err != nil {
		s.t.Fatalf("%d %s", status, answer)
	}
	var file struct{ ID string }
	resp := faces.Send(s.t.Context(), s.t, http.MethodPost, s.front.server.Address()+"/api/chats/hers/files?name=a", token, words,
		"X-Parley-Upload", "1")
	err := json.NewDecoder(resp.Body).Decode(&file)
	if err := errors.Join(err, resp.Body.Close()); err != nil || file.ID == "" {
		s.t.Fatalf("%s %v", resp.Status, err)
	}
	ids["file"], ids["job"], ids["link"] = file.ID, s.jobOf("hers", words), "link-hershershershers"
	link := session.Link{ID: ids["link"], Address: channels.Address{Channel: "console", Chat: "local"}, Person: "web:ada", Direct: true}
	if err := s.store.Tokens().PutLink(s.t.Context(), link); err != nil {
		s.t.Fatal(err)
	}
	if ids["approval"], ids["id"] = call.Question.ID, response.ID; ids["approval"] == "" || ids["id"] == "" {
		s.t.Fatalf("%v", ids)
	}
	return ids
}

// jobOf makes a schedule of Ada in a chat of hers.
func (s *served) jobOf(chat, words string) string {
	s.t.Helper()
	const id = "herjob"
	info, err := s.store.Sessions().Lookup(s.t.Context(), channels.Address{Channel: web.Name, Chat: "web:ada." + chat})
	if err != nil {
		s.t.Fatal(err)
	}
	who := session.Principal{Sender: channels.Sender{ID: "web:ada"}}
	job := session.Job{ID: id, Chat: info.Chat, Address: info.Address, Principal: who, Text: words, Due: time.Now().Add(time.Hour)}
	if err := s.store.Jobs().PutJob(s.t.Context(), job); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// idBodies are bodies of an operation that name things.
func idBodies(path string) []string {
	switch path {
	case "/v1/responses":
		return []string{
			`{"model":"parley","input":"go on","previous_response_id":"{id}"}`, `{"model":"parley","input":"go on","conversation":"{chat}"}`,
			`{"model":"parley","input":[{"type":"mcp_approval_response","approval_request_id":"{approval}","approve":true}]}`,
		}
	case "/v1/chat/completions":
		return []string{`{"model":"parley","messages":[{"role":"user","content":"hello"}]}`}
	case "/api/chats/{chat}/messages":
		return []string{`{"message":"hello"}`, `{"message":"hello","files":["{file}"]}`}
	case "/agui":
		return []string{
			`{"threadId":"{chat}","runId":"1","messages":[{"id":"m","role":"user","content":"hello"}]}`,
			`{"threadId":"{chat}","runId":"2","messages":[],` +
				`"resume":[{"interruptId":"{approval}","status":"resolved","payload":{"approved":true}}]}`,
		}
	case "/api/tools/call":
		return []string{`{"target_capability":"read_file","target_body":{"path":"a.md"},"chat":"{chat}"}`}
	default:
		return []string{`{"message":"hello","decision":"allow_once"}`}
	}
}

// numbers and what hangs on the moment: ids of messages, turns and conversations, times, marks of streams.
var moments = regexp.MustCompile(`"u[0-9a-f]{8,}"|"s[0-9a-z]{10,}"|"[^"]*[-/_.][^"]*"|id: \S+|c\d+-\d+|\d+`)

// changes are the events that tell of Bob's own chats, in their own time.
var changes = regexp.MustCompile(`event: chat_changed\ndata: [^\n]*\n\n`)

// shape is an answer without what differs between two equal requests.
func shape(answer string, status int) string {
	if status >= http.StatusBadRequest {
		return answer
	}
	return moments.ReplaceAllString(changes.ReplaceAllString(answer, ""), "…")
}
