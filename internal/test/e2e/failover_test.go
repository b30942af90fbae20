package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// fallBack gives the gateway of a world, which has not started yet, a second model.
func (w *world) fallBack(b brain) *fakemodel.Server {
	w.t.Helper()
	next := fakemodel.NewHandler(fakemodel.Options{Script: b})
	url := serve(w.t, next.Handler())
	w.replace("{model: main,", "{model: main, fallbacks: [next],")
	w.replace("\nmodels:\n", "\nmodels:\n  next: {provider: openai, model: second, base_url: \""+url+"/v1\"}\n")
	return next
}

// asks has the gateway of a world, which has not started yet, ask another model first.
func (w *world) asks(provider, model, url string) {
	w.t.Helper()
	w.replace(`provider: openai, model: fake, base_url: "`+w.modelURL,
		fmt.Sprintf(`provider: %s, model: %s, base_url: "%s`, provider, model, url))
}

// replace changes the configuration.
func (w *world) replace(old, instead string) {
	w.t.Helper()
	text, err := os.ReadFile(w.gw.ConfigPath())
	if err != nil {
		w.t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		w.t.Fatalf("the configuration lacks %q", old)
	}
	if err := os.WriteFile(w.gw.ConfigPath(), bytes.Replace(text, []byte(old), []byte(instead), 1), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// serve starts a server that ends with the test.
func serve(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	return srv.URL
}

// failures are the ways in which a model fails, with the attempts that each deserves.
func failures() map[string]struct {
	answer fakemodel.Answer
	asked  int64
	word   string // in the log
} {
	frame := fakemodel.Say("this answer ends in an error")
	frame.Fault.ErrorFrame, frame.Fault.Code, frame.Fault.Message = true, "server_error", "broken"
	cut := fakemodel.Say("this answer is cut off in the middle")
	cut.Fault.Cut = 300
	hang := fakemodel.Say("never")
	hang.Fault.Silence = true
	drop := `data: {"choices":[{"index":0,"delta":{"content":"drop "}}]}` + "\n\n"
	drip := fakemodel.Answer{Fault: fakemodel.Fault{
		Body: strings.Repeat(drop, 100), ContentType: "text/event-stream", Piece: len(drop), Gap: 300 * time.Millisecond,
	}}
	empty := fakemodel.Answer{Fault: fakemodel.Fault{
		Body: `data: {"choices":[]}` + "\n\ndata: [DONE]\n\n", ContentType: "text/event-stream",
	}}
	type failure = struct {
		answer fakemodel.Answer
		asked  int64
		word   string
	}
	return map[string]failure{
		"429":                         {fakemodel.Fail(429, "rate_limit_exceeded", "slow down"), 2, "rate_limited"},
		"429, Retry-After 1":          {fakemodel.RateLimited("1"), 2, "rate_limited"},
		"429, Retry-After 16":         {fakemodel.RateLimited("16"), 1, "rate_limited"},
		"500":                         {fakemodel.Fail(500, "server_error", "broken"), 2, "overloaded"},
		"529":                         {fakemodel.Fail(529, "overloaded_error", "Overloaded"), 2, "overloaded"},
		"quota":                       {fakemodel.OutOfQuota(), 1, "quota"},
		"bad key":                     {fakemodel.Fail(401, "invalid_api_key", "Incorrect API key"), 1, "auth"},
		"error after half an answer":  {frame, 2, "overloaded"},
		"a cut answer":                {cut, 2, "cut"},
		"hang":                        {hang, 1, "timeout"},
		"drip":                        {drip, 1, "timeout"},
		"arguments that are no JSON":  {fakemodel.Call("effect", `{"text":"half`), 1, "unusable"},
		"no choices":                  {empty, 2, "cut"},
		"an answer without any words": {fakemodel.Say(""), 1, "unusable"},
	}
}

// TestTheNextModelAnswers fails the first model in each way. The person reads one answer,
// and the log has each attempt with its wait.
func TestTheNextModelAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range failures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			w := prepare(t, func(fakemodel.Request) fakemodel.Answer { asked.Add(1); return c.answer }, rig.Config{})
			w.configure(settings{idle: "1s, total: 2s"})
			next := w.fallBack(func(req fakemodel.Request) fakemodel.Answer {
				if len(results(req)) > 0 {
					return fakemodel.Say("done")
				}
				return fakemodel.Call("effect", `{"text":"once"}`)
			})
			w.start()
			t.Cleanup(func() {
				defer w.process.Kill()
				w.finish()
				if v := next.Violations(); len(v) > 0 {
					t.Errorf("requests to the next model broke the API's rules: %q", v)
				}
				w.logs(c.asked, c.word)
			})
			w.say("chat", "hello")
			w.expect("chat", 1, "done")
			if n := asked.Load(); n != c.asked {
				t.Errorf("the first model was asked %d times, want %d: the turn stays with the second", n, c.asked)
			}
			if n := w.ran(); n != 1 {
				t.Errorf("%d effects", n)
			}
			if got := w.texts("chat"); len(got) != 1 {
				t.Errorf("the person reads %q", got)
			}
		})
	}
}

// logs checks the lines about the failed attempts of one turn.
func (w *world) logs(attempts int64, kind string) {
	w.t.Helper()
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil {
		w.t.Fatal(err)
	}
	var found int64
	for line := range bytes.Lines(log) {
		if !bytes.Contains(line, []byte(`"asking the `)) {
			continue
		}
		found++
		for _, part := range []string{kind, `"attempt":`, `"wait":`, `"next":`} {
			if !bytes.Contains(line, []byte(part)) {
				w.t.Errorf("no %s in %s", part, line)
			}
		}
	}
	if found != attempts || !bytes.Contains(log, []byte("asking the next model")) {
		w.t.Errorf("%d lines about %d attempts:\n%s", found, attempts, log)
	}
}

// TestAShownAnswerIsReplaced cuts an answer that a person has seen growing: the next
// model's takes its place, in the same message.
func TestAShownAnswerIsReplaced(t *testing.T) {
	t.Parallel()
	tg := faketelegram.New(t)
	ada := tg.User("Ada")
	private, group := tg.Private(ada), tg.Supergroup("Engine", ada)
	shown := "The first model says " + strings.Repeat("and says ", 40)
	cut := fakemodel.Say(shown)
	cut.Fault = fakemodel.Fault{Piece: 400, Gap: 500 * time.Millisecond, Cut: 1000}
	c := rig.Config{Telegram: &rig.Telegram{}, LogLevel: "trace"}
	c.Telegram.APIURL, c.Telegram.Token = tg.URL(), tg.Token()
	w := prepareTelegram(t, tg, func(fakemodel.Request) fakemodel.Answer { return cut }, c)
	w.fallBack(func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("from the second") })
	w.run()
	private.Say("hello")
	w.reads(private, "from the second")
	if drafts := private.Drafts(); len(drafts) == 0 || !strings.HasPrefix(shown, strings.TrimRight(drafts[0].Text, " …")) {
		t.Errorf("the person saw %+v grow", drafts)
	}
	group.Say(mention(tg) + "hello")
	messages := w.reads(group, "from the second")
	if v := messages[0].Versions; !slices.ContainsFunc(v, func(text string) bool { return strings.HasPrefix(text, "The first model") }) {
		t.Errorf("the group saw %q", v)
	}
}
