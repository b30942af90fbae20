package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
)

// library is the folders of the corpora of a gateway.
type library struct {
	w   *world
	dir string
}

// newLibrary makes the folders beside the gateway's own.
func newLibrary(w *world) library { return library{w, filepath.Join(w.gw.Dir, "documents")} }

// writes writes a file that was last changed an hour ago, so that it is read at once.
func (l library) writes(name, content string) {
	l.w.t.Helper()
	path, when := filepath.Join(l.dir, name), time.Now().Add(-time.Hour)
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, when, when),
	); err != nil {
		l.w.t.Fatal(err)
	}
}

// entry is a corpus of the configuration.
func (l library) entry(name, chat string) string {
	return fmt.Sprintf("  %s: {path: %q, chats: [%q]}\n", name, filepath.Join(l.dir, name), chat)
}

// configures adds corpora to the configuration.
func (l library) configures(entries ...string) {
	l.w.t.Helper()
	raw, err := os.ReadFile(l.w.gw.ConfigPath())
	if err == nil {
		text := strings.Replace(string(raw), "level: warn", "level: info", 1) + "corpora:\n" + strings.Join(entries, "")
		err = os.WriteFile(l.w.gw.ConfigPath(), []byte(text), 0o600)
	}
	if err != nil {
		l.w.t.Fatal(err)
	}
}

// indexed waits until the log tells of a corpus with some files.
func (l library) indexed(name string, files int) {
	l.w.t.Helper()
	l.w.looks("the index of "+name, func() bool {
		raw, err := os.ReadFile(l.w.gw.LogPath())
		if err != nil {
			return false
		}
		for line := range strings.Lines(string(raw)) {
			var row struct {
				Corpus, Message string
				Files           int
			}
			if json.Unmarshal([]byte(line), &row) == nil && row.Corpus == name && row.Message == "the corpus is indexed" && row.Files == files {
				return true
			}
		}
		return false
	})
}

// listed waits until list_corpora tells the console, which has no such log, of some files.
func (l library) listed(name string, files int) {
	l.w.t.Helper()
	l.w.looks("the index of "+name, func() bool {
		out, err := l.w.gw.Command(l.w.ctx, nil, "tool", "call", "list_corpora", `{"corpus":"`+name+`"}`).Output()
		return err == nil && strings.Contains(string(out), fmt.Sprintf(`"files":%d,`, files)) && strings.Contains(string(out), `"looked"`)
	})
}

// answersFrom is a model that searches its corpora for the question of a person, and answers with the
// passage that it finds, its file and lines.
func answersFrom(req fakemodel.Request) fakemodel.Answer {
	said, got := lastUser(req), results(req)
	question, asked := strings.CutPrefix(said, "ask: ")
	switch {
	case !asked:
		return echoes(req)
	case len(got) == 0:
		args, _ := json.Marshal(map[string]string{"query": question})
		return fakemodel.Call("search_corpus", string(args))
	}
	var found struct {
		Passages []struct{ Corpus, File, Lines, Heading, Text string }
		Note     string
	}
	if err := json.Unmarshal([]byte(got[len(got)-1]), &found); err != nil || len(found.Passages) == 0 {
		return fakemodel.Say("I found none: " + got[len(got)-1])
	}
	p := found.Passages[0]
	return fakemodel.Say(fmt.Sprintf("%s (%s/%s, lines %s)", p.Text, p.Corpus, p.File, p.Lines))
}

// chatOf is how the configuration names the chat of a place.
func chatOf(p place) string {
	switch at := p.(type) {
	case *telegramPlace:
		return fmt.Sprintf("telegram:%d", at.private.ID())
	case *slackPlace:
		team, _, _ := at.srv.Identity()
		return "slack:" + team + "/" + at.direct.ID()
	case *webPlace:
		return "web:ada"
	default:
		return "console:local"
	}
}

// TestSearchCorpusToolUsedForGroundedAnswer: on each channel, the model is told of the chat's corpus,
// finds the passage, and its answer has the words of the file with their place. The corpus of another
// chat is neither named to it nor found.
func TestSearchCorpusToolUsedForGroundedAnswer(t *testing.T) {
	t.Parallel()
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, answersFrom)
			p.under().rest()
			p.kill()
			l := newLibrary(p.under())
			l.writes("handbook/hr/leave.md", "# Leave\n\nAll of it is paid.\n\n## Days\n\nEverybody has 27 days of leave in a year.\n")
			l.writes("handbook/travel.md", "# Travel\n\nTake the train.\n")
			l.writes("board/minutes.md", "# Leave\n\nThe board has 99 days of leave in a year.\n")
			l.configures(l.entry("handbook", chatOf(p)), l.entry("board", "telegram:424242"))
			p.start()
			if _, ok := p.(*consolePlace); ok {
				l.listed("handbook", 2)
			} else {
				l.indexed("handbook", 2)
			}
			p.say("ask: how many days of leave?")
			sees(p, "Everybody has 27 days of leave in a year. (handbook/hr/leave.md, lines 7)")
			asked := false
			for _, req := range p.under().model.Requests() {
				body := string(req.Body)
				if !strings.Contains(body, "ask: how many") {
					continue
				}
				asked = true
				if !strings.Contains(body, "- handbook: a corpus") || strings.Contains(body, "- board:") || strings.Contains(body, "99 days") {
					t.Errorf("the request is %s", body)
				}
			}
			if !asked {
				t.Error("the model was not asked")
			}
		})
	}
}
