package e2e_test

import (
	"bytes"
	"encoding/json"
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
	"parley/internal/test/strictmodel"
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

// TestTheNextModelAnswers fails the first model in each way that its wire has. The person
// reads one answer, and the log has each attempt with its wait.
func TestTheNextModelAnswers(t *testing.T) {
	t.Parallel()
	for _, first := range wires() {
		for name, c := range failures(first.wire) {
			t.Run(string(first.wire)+", "+name, func(t *testing.T) {
				t.Parallel()
				stepsIn(t, first, &c)
			})
		}
	}
}

// stepsIn has the first model fail, and the next one call a tool and answer.
func stepsIn(t *testing.T, first wireModel, c *failure) {
	t.Helper()
	var asked atomic.Int64
	w, server := first.world(t, settings{idle: "1s, total: 2s"}, func(fakemodel.Request) fakemodel.Answer {
		asked.Add(1)
		return c.answer
	})
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
		if v := append(server.Violations(), next.Violations()...); len(v) > 0 {
			t.Errorf("requests broke the APIs' rules: %q", v)
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
}

// logs checks the lines about the failed attempts of a test. The waits of two attempts, which
// a turn has at most, are within the 15 s in which a model must step in.
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
		var told struct{ Wait string }
		if err := json.Unmarshal(line, &told); err != nil {
			w.t.Error(err)
		}
		if wait, err := time.ParseDuration(told.Wait); err != nil || wait > 15*time.Second/2 {
			w.t.Errorf("the wait %q: %v", told.Wait, err)
		}
	}
	if found != attempts || !bytes.Contains(log, []byte("asking the next model")) {
		w.t.Errorf("%d lines about %d attempts:\n%s", found, attempts, log)
	}
}

// TestAShownAnswerIsReplaced cuts an answer that a person has seen growing, on each wire: the
// next model's takes its place, in the same message.
func TestAShownAnswerIsReplaced(t *testing.T) {
	t.Parallel()
	// The frames with half of the text or all of it, and the time after each.
	seen := map[strictmodel.Wire]fakemodel.Fault{
		strictmodel.OpenAI:    {Frames: 3, Gap: 1500 * time.Millisecond},
		strictmodel.Anthropic: {Frames: 4, Gap: 1200 * time.Millisecond},
		strictmodel.Gemini:    {Frames: 1, Gap: 3 * time.Second},
	}
	for _, m := range wires() {
		t.Run(string(m.wire), func(t *testing.T) {
			t.Parallel()
			replaced(t, &m, seen[m.wire])
		})
	}
}

func replaced(t *testing.T, m *wireModel, seen fakemodel.Fault) {
	t.Helper()
	tg := faketelegram.New(t)
	ada := tg.User("Ada")
	private, group := tg.Private(ada), tg.Supergroup("Engine", ada)
	shown := "The first model says " + strings.Repeat("and says ", 40)
	cut := fakemodel.Say(shown)
	cut.Fault = seen
	c := rig.Config{Telegram: &rig.Telegram{}, LogLevel: "trace"}
	c.Telegram.APIURL, c.Telegram.Token = tg.URL(), tg.Token()
	w := prepareTelegram(t, tg, func(fakemodel.Request) fakemodel.Answer { return fakemodel.Say("no") }, c)
	first := strictmodel.New(m.wire, func(fakemodel.Request) fakemodel.Answer { return cut })
	w.asks(m.provider, m.model, serve(t, first.Handler())+m.path)
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
	if v := first.Violations(); len(v) > 0 {
		t.Errorf("requests broke the API's rules: %q", v)
	}
}
