package e2e_test

import (
	"regexp"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
)

var toldFact = regexp.MustCompile(`(?m)^- (f[0-9a-z]+) \([^)]*\): (.*)$`)

// keeps is a model that remembers what it is told to, and tells what it knows.
func keeps(req fakemodel.Request) fakemodel.Answer {
	text := lastUser(req)
	fact, remember := strings.CutPrefix(text, "remember ")
	switch got := results(req); {
	case len(got) > 0 && strings.Contains(got[len(got)-1], `"id"`):
		return fakemodel.Say("kept " + fact)
	case len(got) > 0:
		return fakemodel.Say("not kept: " + got[len(got)-1])
	case remember:
		return fakemodel.Call("remember", `{"fact":"`+fact+`"}`)
	}
	known := "I know"
	for _, m := range toldFact.FindAllStringSubmatch(req.Notes, -1) {
		known += " <" + m[2] + ">"
	}
	return fakemodel.Say(known)
}

// TestFactsOnEachChannel: a fact is kept over a kill and a new conversation, on the console, Telegram, Slack
// and the web; /memory shows and removes it.
func TestFactsOnEachChannel(t *testing.T) {
	t.Parallel()
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, keeps)
			ask := func(text string, words ...string) {
				t.Helper()
				before := p.shown(words...)
				p.say(text)
				p.until(strings.Join(words, " "), func() bool { return p.shown(words...) > before })
			}
			ask("remember tea at four", "kept tea at four")
			ask("/new", "New conversation started")
			p.kill()
			p.start()
			ask("what?", "I know <tea at four>")
			ask("/memory", "tea at four (")
			id := regexp.MustCompile("f[0-9a-z]{3,6}`? tea at four").FindString(p.text())
			if id == "" {
				t.Fatalf("no id in\n%s", p.text())
			}
			id, _, _ = strings.Cut(strings.ReplaceAll(id, "`", ""), " ")
			ask("/memory remove "+id, "Removed: "+id)
			ask("/memory", "Nothing is remembered here")
		})
	}
}
