package main_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestCorporaInDocuments does what docs/corpora.md tells: a search shows the passage of its example, the
// list tells of the files, and the index is made anew with a gateway and without one.
func TestCorporaInDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	dir := filepath.Join(w.dir, "handbook")
	hour := time.Now().Add(-time.Hour)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"leave.md":    "# Leave\n\n## Days\n\nEverybody has 27 days.\n",
		"travel.html": "<h1>Travel</h1><p>Take the train.</p>",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, hour, hour)); err != nil {
			t.Fatal(err)
		}
	}
	text := "state_dir: state\nmodels: {main: {provider: offline}}\ncorpora: {handbook: {path: " + dir + ", chats: ['console:local']}}\n"
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("chat")
	g.say("hello")
	g.line() // it runs
	counted := false
	// The rebuild waits until all is indexed.
	rebuilt := func() {
		t.Helper()
		line := regexp.MustCompile(`^handbook +(2 files +0|1 file +1) not read\s+$`) // one without a sandbox
		if out, errs, code := w.run("index", "rebuild"); code != 0 || !line.MatchString(out) {
			t.Errorf("index rebuild: %d %q %s", code, out, errs)
		}
	}
	rebuilt()
	counts := regexp.MustCompile(`(?:2 files indexed, 0|1 files indexed, 1) not read, 0 waiting`)
	if out, errs, code := w.run("status"); code != 0 || !regexp.MustCompile(`(?m)^corpus handbook +`+counts.String()).MatchString(out) {
		t.Errorf("status: %d %q %s", code, out, errs)
	}
	g.say("/status")
	for line := g.line(); !strings.HasPrefix(line, "The gateway, in all chats"); line = g.line() {
		if strings.HasPrefix(line, "Corpus handbook: ") && counts.MatchString(line) {
			counted = true
		}
	}
	if !counted {
		t.Error("/status does not tell of the corpus")
	}
	raw, err := os.ReadFile("../../docs/corpora.md")
	if err != nil {
		t.Fatal(err)
	}
	score := regexp.MustCompile(`"score":[0-9.]+`)
	example := score.ReplaceAllString(regexp.MustCompile(`(?m)^{"passages".*$`).FindString(string(raw)), "")
	for _, m := range regexp.MustCompile(`(?m)^\$ parley tool call (\w+)(?: '(.*)')?$`).FindAllStringSubmatch(string(raw), -1) {
		args := []string{"tool", "call", m[1]}
		if m[2] != "" {
			args = append(args, m[2])
		}
		out, errs, code := w.run(args...)
		switch {
		case code != 0:
			t.Errorf("%q: %d %s", args, code, errs)
		case m[1] == "search_corpus" && score.ReplaceAllString(strings.TrimSpace(out), "") != example:
			t.Errorf("the search gives %s, and the document says %s", out, example)
		case m[1] == "list_corpora" && !strings.Contains(out, `"corpus":"handbook","files":`):
			t.Errorf("the list is %s", out)
		}
	}
	out, _, _ := w.run("tool", "call", "search_corpus", `{"query":"train"}`)
	listed, _, _ := w.run("tool", "call", "list_corpora")
	var list struct{ Corpora []struct{ Files int } }
	if err := json.Unmarshal([]byte(listed), &list); err != nil || len(list.Corpora) != 1 {
		t.Fatalf("%v: %s", err, listed)
	}
	if list.Corpora[0].Files == 1 { // no sandbox here
		if !strings.Contains(listed, "travel.html") {
			t.Errorf("the page is neither indexed nor listed: %s", listed)
		}
	} else if !strings.Contains(out, `"file":"travel.html"`) || !strings.Contains(out, "Take the train.") {
		t.Errorf("the search for a page gives %s", out)
	}
	if err := g.in.Close(); err != nil {
		t.Fatal(err)
	}
	g.end()
	past := filepath.Join(w.dir, "state", "index", "history")
	if err := os.WriteFile(past, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	rebuilt()
	if raw, err := os.ReadFile(past); err != nil || string(raw) == "damaged" {
		t.Errorf("the index of the pasts of chats is %q, %v", raw, err)
	}
}
