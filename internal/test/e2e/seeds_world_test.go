package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/audit"
)

// act is a model's answer to a request, given the results that it has so far.
type act func(results []string) fakemodel.Answer

// acting is a model that does the acts written here for a person's request. Of a call
// that was decided on it tells the result.
func acting(acts map[string]act) brain {
	return func(req fakemodel.Request) fakemodel.Answer {
		said, got := lastUser(req), results(req)
		if strings.HasPrefix(said, "[approval ") {
			return fakemodel.Say("after the decision: " + strings.Join(got, "\n"))
		}
		if do := acts[said]; do != nil {
			return do(got)
		}
		return echoes(req)
	}
}

// calls makes one call, and tells the result.
func calls(tool, args string) act {
	return func(got []string) fakemodel.Answer {
		if len(got) == 0 {
			return fakemodel.Call(tool, args)
		}
		return fakemodel.Say("result: " + strings.Join(got, "\n"))
	}
}

// newOwned runs a gateway with an owner in a direct chat, with the right to run
// programs. Of the settings only the mode counts.
func newOwned(
	t *testing.T, tg *faketelegram.Server, owner *faketelegram.Chat, s settings, tools map[string]any, acts map[string]act,
) *telegramWorld {
	t.Helper()
	w := newTelegramWith(t, tg, acting(acts), rig.Config{Telegram: &rig.Telegram{Owner: owner.ID()}, Tools: tools, ToolMode: s.mode})
	owner.Say("hello")
	w.says(owner, heardMark)
	return w
}

// home is the owner's folder of files.
func (w *telegramWorld) home() string { return filepath.Join(w.gw.Dir, "workspace", "home") }

// keeps writes a file of the owner's.
func (w *telegramWorld) keeps(name, content string) {
	w.t.Helper()
	if err := os.MkdirAll(w.home(), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home(), name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// holds is a file of the owner's, "" when it is not there.
func (w *telegramWorld) holds(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.home(), name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(b)
}

// needsSandbox skips the test where no program can be run safely.
func (w *world) needsSandbox(tool string) {
	w.t.Helper()
	out, err := w.gw.Command(w.ctx, nil, "tool", "list").CombinedOutput()
	if err != nil {
		w.t.Fatalf("tool list: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if name, rest, _ := strings.Cut(line, " "); name == tool && strings.HasPrefix(strings.TrimSpace(rest), "disabled") {
			w.t.Skipf("not run: %s", line)
		}
	}
}

// questions waits for n questions that wait in a chat, oldest first.
func (w *telegramWorld) questions(chat *faketelegram.Chat, n int) (open []faketelegram.Message) {
	w.t.Helper()
	w.await("the questions", func() bool {
		open = nil
		list := chat.Messages()
		for i := range list {
			if len(list[i].Buttons) > 0 {
				open = append(open, list[i])
			}
		}
		return len(open) == n
	})
	return open
}

// audited waits until the audit log says of some call of a tool how it ended.
func (w *telegramWorld) audited(tool, outcome string) {
	w.t.Helper()
	var rows []string
	if w.chat.Until(w.ctx, func() bool {
		found := false
		rows = nil
		err := audit.Read(w.ctx, filepath.Join(w.gw.Dir, "state", "audit"), func(r audit.Row, err error) error {
			rows = append(rows, fmt.Sprint(r.Kind, " ", r.Tool, " ", r.Outcome, " ", r.Detail))
			found = found || r.Tool == tool && r.Outcome == outcome
			return err
		})
		if err != nil {
			w.t.Error(err)
			return true
		}
		return found
	}) != nil {
		w.t.Fatalf("no row says of %s that it ended as %s:\n%s", tool, outcome, strings.Join(rows, "\n"))
	}
}

// searches is a search server that finds the same two pages for whatever is asked.
func searches(t *testing.T) (settings map[string]any) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); r.URL.Path != "/search" || q.Get("q") == "" || q.Get("format") != "json" {
			t.Errorf("searched with %s", r.URL)
		}
		_, _ = w.Write([]byte(`{"results":[
			{"title":"Learn Python","url":"https://python.example/learn","content":"A first course."},
			{"title":"Python Basics","url":"https://python.example/basics","content":"Types and loops."}]}`))
	}))
	t.Cleanup(srv.Close)
	return map[string]any{"search": map[string]any{"searxng_url": srv.URL}}
}
