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
	ctx, cancel := context.WithTimeout(s.t.Context(), faces.Patience)
	defer cancel()
	resp := faces.Send(ctx, s.t, method, s.front.server.Address()+path, token, body)
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
	const words = "a secret of hers"
	s := serving(t, newServed(t, "{provider: offline}"))
	ada, bob := s.token("web:ada", "a"), s.token("web:bob", "b")
	ids := s.thingsOf(ada, words)
	unknown := map[string]string{
		"chat": "nobodys", "approval": strings.Repeat("z", len(ids["approval"])), "id": strings.Replace(ids["id"], "_once-", "_once-0", 1),
		"file": "u" + strings.Repeat("0", len(ids["file"])-1),
	}
	walked := 0
	for _, op := range apidoc.Load(t).Operations() {
		bodies := []string{""}
		if op.Method == http.MethodPost {
			bodies = idBodies(op.Path)
		}
		for _, body := range bodies {
			var answers [2]string
			for i, with := range []map[string]string{ids, unknown} {
				path, sent := op.Path, body
				for name, id := range with {
					path = strings.ReplaceAll(path, "{"+name+"}", id)
					sent = strings.ReplaceAll(sent, "{"+name+"}", id)
				}
				if strings.Contains(path, "{") {
					t.Fatalf("%s: say in this test which id of Ada's its parameter takes", op.Path)
				}
				status, answer := s.ask(bob, op.Method, path, sent)
				if strings.Contains(answer, words) {
					t.Errorf("%s %s %s tells Bob what Ada said: %s", op.Method, path, sent, answer)
				}
				for name := range ids {
					answer = strings.NewReplacer(ids[name], "ID", unknown[name], "ID").Replace(answer)
				}
				answers[i] = fmt.Sprint(status, " ", shape(answer, status))
			}
			if answers[0] != answers[1] {
				t.Errorf("%s %s %s: with an id of Ada's %s, with nobody's %s", op.Method, op.Path, body, answers[0], answers[1])
			}
			walked++
		}
	}
	if walked < 15 {
		t.Errorf("only %d requests were made", walked)
	}
}

// TestRevocationEndsEachKindOfStream at once: none waits for its next sign of life.
func TestRevocationEndsEachKindOfStream(t *testing.T) {
	t.Parallel()
	const atOnce = 10 * time.Second // the signs of life are 15 s apart
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Let me see. "}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(model.Close)
	s := serving(t, newServed(t, fmt.Sprintf(`{provider: openai, model: m, base_url: %q, api_key: "env:K"}`, model.URL)))
	token, cookie := s.token("web:ada", "a"), s.login("web:ada", "page")
	streams := map[string]io.ReadCloser{}
	for name, c := range map[string]struct{ method, path, body string }{
		"native":    {http.MethodGet, "/api/chats/main/events", ""},
		"page":      {http.MethodGet, "/page/chats/main/events", ""},
		"chat":      {http.MethodPost, "/v1/chat/completions", `{"model":"parley","stream":true,"messages":[{"role":"user","content":"x"}]}`},
		"responses": {http.MethodPost, "/v1/responses", `{"model":"parley","stream":true,"input":"x"}`},
		"agui":      {http.MethodPost, "/agui", `{"threadId":"t","runId":"1","messages":[{"role":"user","content":"x"}]}`},
	} {
		resp := faces.Send(t.Context(), t, c.method, s.front.server.Address()+c.path, token, c.body, "Cookie", cookie)
		t.Cleanup(func() { _ = resp.Body.Close() })
		if _, err := resp.Body.Read(make([]byte, 1)); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v", name, resp.Status, err)
		}
		streams[name] = resp.Body
	}
	for _, id := range []string{"a", "page"} {
		if _, err := s.store.Tokens().RevokeToken(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	for name, body := range streams {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.Copy(io.Discard, body)
		}()
		select {
		case <-ended:
			t.Logf("%s ended after %v", name, time.Since(began))
		case <-time.After(atOnce):
			t.Errorf("the stream of %s goes on", name)
		}
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
	if err := s.store.Tokens().PutToken(s.t.Context(), hash, session.Token{ID: id, Person: person, Page: true}); err != nil {
		s.t.Fatal(err)
	}
	return s.front.server.CookieName(s.front.server.Address()) + "=" + secret
}

// thingsOf makes a chat with an open question and a response of a person.
func (s *served) thingsOf(token, words string) map[string]string {
	s.t.Helper()
	ids := map[string]string{"chat": "hers"}
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
	ids["file"] = file.ID
	if ids["approval"], ids["id"] = call.Question.ID, response.ID; ids["approval"] == "" || ids["id"] == "" {
		s.t.Fatalf("%v", ids)
	}
	return ids
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

// numbers and what hangs on the moment: ids of messages and turns, times, marks of streams.
var moments = regexp.MustCompile(`"[^"]*[-/_.][^"]*"|id: \S+|c\d+-\d+|\d+`)

// shape is an answer without what differs between two equal requests.
func shape(answer string, status int) string {
	if status >= http.StatusBadRequest {
		return answer
	}
	return moments.ReplaceAllString(answer, "…")
}
