package login_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/httpd"
	"parley/pkg/httpd/login"
	"parley/pkg/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ours = "http://127.0.0.1:8080"

// world is a door in a server, with the sessions that it began.
type world struct {
	t      *testing.T
	door   *login.Door
	server *httpd.Server

	mu       sync.Mutex
	sessions map[string]policy.Person // by the secret
	ended    []string
}

// newWorld makes one; public are the addresses under which browsers reach it from outside.
func newWorld(t *testing.T, public ...*url.URL) *world {
	t.Helper()
	w := &world{t: t, sessions: map[string]policy.Person{}}
	w.server = httpd.New(httpd.Options{Listen: "127.0.0.1:8080", Public: public, Keyring: w, Log: zerolog.Nop()})
	w.door = login.New(login.Options{
		Begin: func(_ context.Context, who policy.Person, _ string) (string, time.Time, error) {
			secret, _ := httpd.NewSession()
			w.mu.Lock()
			defer w.mu.Unlock()
			w.sessions[secret] = who
			return secret, time.Now().Add(time.Hour), nil
		},
		End: func(_ context.Context, credential string) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.ended = append(w.ended, credential)
			return nil
		},
		CookieName: w.server.CookieName, Log: zerolog.Nop(),
	})
	for _, route := range w.door.Routes() {
		w.server.Handle(route)
	}
	return w
}

// Token implements [httpd.Keyring].
func (*world) Token(context.Context, string) (*httpd.Caller, context.Context, error) {
	return nil, nil, httpd.ErrNoCredential
}

// Session implements [httpd.Keyring].
func (w *world) Session(ctx context.Context, secret string) (*httpd.Caller, context.Context, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	who, ok := w.sessions[secret]
	if !ok {
		return nil, nil, httpd.ErrNoCredential
	}
	return &httpd.Caller{Person: who, Credential: "session/" + who.ID}, ctx, nil
}

// browser keeps its cookies, as the page's does.
type browser struct {
	w       *world
	cookies map[string]*http.Cookie
}

func (w *world) browser() *browser { return &browser{w, map[string]*http.Cookie{}} }

// post sends JSON as the page does, and gives the status and the answer.
func (b *browser) post(path, body string) (status int, said map[string]any) {
	b.w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, ours+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", ours)
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	answer := httptest.NewRecorder()
	b.w.server.ServeHTTP(answer, r)
	for _, c := range answer.Result().Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
			b.w.t.Errorf("the cookie is %v", c)
		}
		b.cookies[c.Name] = c
	}
	if answer.Body.Len() > 0 {
		if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil {
			b.w.t.Errorf("%s: %v", answer.Body, err)
		}
	}
	return answer.Code, said
}

// person is the one that the browser's session is of, or "".
func (b *browser) person() string {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	c := b.cookies["parley-8080"]
	if c == nil {
		return ""
	}
	return b.w.sessions[c.Value].ID
}

// ask shows the browser a code.
func (b *browser) ask(name string) string {
	b.w.t.Helper()
	status, said := b.post("/login/ask", fmt.Sprintf(`{"name":%q}`, name))
	code, _ := said["code"].(string)
	if status != http.StatusOK || code == "" {
		b.w.t.Fatalf("%d %v", status, said)
	}
	return code
}

func link(code string) string { return fmt.Sprintf(`{"code":%q}`, code) }

// TestALinkIsGoodOnceAndForFiveMinutes: it logs in the operator's own browser.
func TestALinkIsGoodOnceAndForFiveMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		code, _ := w.door.Link()
		first, second := w.browser(), w.browser()
		if status, _ := first.post("/login/link", link(code)); status != http.StatusNoContent || first.person() != "operator" {
			t.Errorf("the first use: %d, %q", status, first.person())
		}
		if status, _ := second.post("/login/link", link(code)); status != http.StatusForbidden || second.person() != "" {
			t.Errorf("the second use: %d, %q", status, second.person())
		}
		code, _ = w.door.Link()
		<-time.After(login.LinkTime)
		if status, _ := second.post("/login/link", link(code)); status != http.StatusForbidden || second.person() != "" {
			t.Errorf("after its time: %d, %q", status, second.person())
		}
	})
}

// TestTenThousandWrongCodes cost a second each, or an answer at once; a right one is taken
// among them, none becomes a login, and none is remembered.
func TestTenThousandWrongCodes(t *testing.T) { //nolint:paralleltest // it weighs the heap
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		code, _ := w.door.Link()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		const many, atOnce = 10_000, 100
		statuses := map[int]int{}
		for range many / atOnce {
			var all sync.WaitGroup
			began := time.Now()
			for i := range atOnce {
				all.Go(func() {
					b := w.browser()
					status, _ := b.post("/login/link", link(fmt.Sprint("wrong", i)))
					w.mu.Lock()
					defer w.mu.Unlock()
					statuses[status]++
				})
			}
			all.Wait()
			if took := time.Since(began); took != httpd.Delay {
				t.Fatalf("%d wrong codes took %v", atOnce, took)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if statuses[http.StatusForbidden]+statuses[http.StatusTooManyRequests] != many || len(w.sessions) != 0 {
			t.Errorf("the answers are %v, with %d sessions", statuses, len(w.sessions))
		}
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() { w.browser().post("/login/link", link("wrong")) })
		}
		synctest.Wait() // they wait for their refusal
		b := w.browser()
		began := time.Now()
		if status, _ := b.post("/login/link", link(code)); status != http.StatusNoContent || b.person() != "operator" || time.Since(began) != 0 {
			t.Errorf("the right code: %d, %q, after %v", status, b.person(), time.Since(began))
		}
		all.Wait()
	})
}

// TestTenThousandWrongPairingCodes: strangers invent cookies of browsers that wait, ask for codes of their own, and
// codes are approved that nobody was shown. It logs in none of them, holds no memory, and the browser with the right
// code, which asked before them, is approved and let in at once.
func TestTenThousandWrongPairingCodes(t *testing.T) { //nolint:paralleltest // it weighs the heap
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ada := w.browser()
		code := ada.ask("ada")
		before := heap()
		const many, atOnce = 10_000, 100
		states := map[any]int{}
		strangers := func() {
			var all sync.WaitGroup
			for i := range atOnce {
				all.Go(func() {
					b := w.browser()
					b.cookies["parley-8080-wait"] = wrongCookie()
					_, said := b.post("/login/wait", "{}")
					w.browser().post("/login/ask", fmt.Sprintf(`{"name":"eve-%d"}`, i))
					if _, err := w.door.Approve(policy.NewPairingCode(), policy.Person{}); err == nil {
						t.Error("a wrong code is approved")
					}
					w.mu.Lock()
					defer w.mu.Unlock()
					states[said["state"]]++
				})
			}
			all.Wait()
		}
		for range many / atOnce {
			began := time.Now()
			strangers()
			if took := time.Since(began); took != httpd.Delay {
				t.Fatalf("%d wrong ones took %v", atOnce, took)
			}
		}
		if states["over"]+states[nil] != many || states["over"] == 0 || len(w.sessions) != 0 || len(w.door.Waiting()) > policy.MaxPairing {
			t.Errorf("the answers are %v, with %d sessions; %d wait", states, len(w.sessions), len(w.door.Waiting()))
		}
		if grown := heap() - before; grown > 1<<20 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		var last sync.WaitGroup
		last.Go(strangers)
		synctest.Wait() // they wait for their refusal
		began := time.Now()
		if _, said := ada.post("/login/wait", "{}"); said["state"] != "waiting" {
			t.Errorf("before: %v", said)
		}
		if who, err := w.door.Approve(code, policy.Person{}); err != nil || who.ID != "ada" {
			t.Errorf("approved: %v, %v", who, err)
		}
		if _, said := ada.post("/login/wait", "{}"); said["state"] != "in" || ada.person() != "ada" || time.Since(began) != 0 {
			t.Errorf("the right one: %v, %q, after %v", said, ada.person(), time.Since(began))
		}
		last.Wait()
	})
}

// wrongCookie is one that no browser was given.
func wrongCookie() *http.Cookie {
	secret, _ := httpd.NewSession()
	return &http.Cookie{Name: "parley-8080-wait", Value: secret}
}

// heap is the memory in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestACodeLogsInTheBrowserThatShowsIt, and no other one.
func TestACodeLogsInTheBrowserThatShowsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ada, eve := w.browser(), w.browser()
		code := ada.ask(" Ada ")
		if again := ada.ask("ada"); again != code {
			t.Errorf("the browser is shown %q, then %q", code, again)
		}
		<-time.After(time.Second) // the list has the oldest first
		if other := eve.ask("ada"); other == code {
			t.Error("two browsers are shown one code")
		}
		if _, said := ada.post("/login/wait", "{}"); said["state"] != "waiting" || ada.person() != "" {
			t.Errorf("before: %v, %q", said, ada.person())
		}
		if waiting := w.door.Waiting(); len(waiting) != 2 || waiting[0].Code != code || waiting[0].Who.ID != "ada" {
			t.Errorf("there wait %v", waiting)
		}
		if _, err := w.door.Approve("XXXXXXXX", policy.Person{}); err == nil {
			t.Error("a wrong code is approved")
		}
		if who, err := w.door.Approve(code, policy.Person{}); err != nil || who.String() != "web:ada" {
			t.Errorf("approved: %v, %v", who, err)
		}
		if _, err := w.door.Approve(code, login.Operator()); err == nil {
			t.Error("a code is approved twice")
		}
		if _, said := eve.post("/login/wait", "{}"); said["state"] != "waiting" || eve.person() != "" {
			t.Errorf("the other browser: %v, %q", said, eve.person())
		}
		if _, said := ada.post("/login/wait", "{}"); said["state"] != "in" || ada.person() != "ada" {
			t.Errorf("after: %v, %q", said, ada.person())
		}
		if _, said := w.browser().post("/login/wait", "{}"); said["state"] != "over" {
			t.Errorf("a stranger: %v", said)
		}
		if status, _ := ada.post("/page/logout", "{}"); status != http.StatusNoContent || len(w.ended) != 1 || ada.person() != "" {
			t.Errorf("logging out: %d, %v, %q", status, w.ended, ada.person())
		}
	})
}

// TestARevokedBrowserDoesNotComeIn, though the operator has let it in, and no link does.
func TestARevokedBrowserDoesNotComeIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ada, bob, operator := w.browser(), w.browser(), w.browser()
		for b, name := range map[*browser]string{ada: "ada", bob: "bob"} {
			if _, err := w.door.Approve(b.ask(name), policy.Person{}); err != nil {
				t.Fatal(err)
			}
		}
		link, _ := w.door.Link()
		for _, c := range []struct {
			who  policy.Person
			want bool
		}{
			{policy.Person{Channel: "web", ID: "ada"}, true},
			{policy.Person{Channel: "web", ID: "ada"}, false},
			{login.Operator(), true},
			{login.Operator(), false},
		} {
			if got := w.door.Revoke(c.who); got != c.want {
				t.Errorf("%s had a login under way: %v", c.who, got)
			}
		}
		if _, said := ada.post("/login/wait", "{}"); said["state"] != "over" || ada.person() != "" {
			t.Errorf("the revoked browser: %v, %q", said, ada.person())
		}
		if status, _ := operator.post("/login/link", `{"code":"`+link+`"}`); status != http.StatusForbidden || operator.person() != "" {
			t.Errorf("the link of before: %d, %q", status, operator.person())
		}
		if _, said := bob.post("/login/wait", "{}"); said["state"] != "in" || bob.person() != "bob" {
			t.Errorf("another person: %v, %q", said, bob.person())
		}
	})
}

// TestNamesOnThePage: the operator's own name is none, nor is one that needs an eye to tell
// apart.
func TestNamesOnThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"", "operator", "Operator", "a b", "аda", "ada.main", "web:ada", "-a", strings.Repeat("a", 33)} {
		if status, _ := w.browser().post("/login/ask", fmt.Sprintf(`{"name":%q}`, name)); status != http.StatusBadRequest {
			t.Errorf("%q: %d", name, status)
		}
	}
}

// TestBrowsersThatWaitAreBounded: the oldest gives way once it had its time.
func TestBrowsersThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		first := w.browser()
		code := first.ask("ada")
		<-time.After(time.Second)
		for range policy.MaxPairing - 1 {
			w.browser().ask("eve")
		}
		if status, _ := w.browser().post("/login/ask", `{"name":"late"}`); status != http.StatusTooManyRequests {
			t.Errorf("one too many: %d", status)
		}
		<-time.After(policy.PairingGrace - time.Second)
		w.browser().ask("late")
		if _, err := w.door.Approve(code, policy.Person{}); err == nil {
			t.Error("the oldest has not given way")
		}
		if waiting := w.door.Waiting(); len(waiting) != policy.MaxPairing {
			t.Errorf("%d wait", len(waiting))
		}
		<-time.After(policy.PairingTime)
		if waiting := w.door.Waiting(); len(waiting) != 0 {
			t.Errorf("after their time, %d wait", len(waiting))
		}
	})
}
