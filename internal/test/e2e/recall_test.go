package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/pkg/session"
)

// finds is a model that searches for the words that it is told to find, where it is offered
// the search or may find that tool, and says what it got.
func finds(req fakemodel.Request) fakemodel.Answer {
	text, got := lastUser(req), results(req)
	words, wanted := strings.CutPrefix(text, "find ")
	search := fakemodel.Call("search_history", `{"query":"`+words+`"}`)
	switch {
	case strings.HasPrefix(text, "Summarise"):
		return fakemodel.Say("they spoke")
	case !wanted:
		return fakemodel.Say("fine")
	case len(got) > 0 && strings.HasPrefix(got[len(got)-1], "You can call"):
		return search
	case len(got) > 0:
		return fakemodel.Say("found: " + got[len(got)-1])
	case strings.Contains(string(req.Body), "Search the past of this chat"):
		return search
	case len(req.Tools) > 0 && strings.Contains(req.Tools[0].Function.Description, "search_history"):
		return fakemodel.Call("find_tools", `{"query":"search_history"}`)
	default:
		return fakemodel.Say("I have no tool for that")
	}
}

// TestTheModelFindsWhatFellOut of its history, by words, after the process died too, and in the chat's
// next conversation; another chat finds none of it.
func TestTheModelFindsWhatFellOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]settings{
		"all tools": {},
		"on demand": {tools: "lazy: true, "},
		"as JSON":   {noTools: true, mode: "json_schema"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.agent = "history: {tokens: 2000, entries: 20}"
			c.tools += `chats: {"loop:without": {disabled: [search_history]}, "loop:chat": {level: chat}}`
			w := newWorld(t, finds, c)
			sent := map[string]int{}
			says := func(chat, text string) string {
				t.Helper()
				w.say(chat, text)
				sent[chat]++
				return w.told(chat, sent[chat])[sent[chat]-1]
			}
			fill := func(chat string) {
				t.Helper()
				for i := range 14 {
					says(chat, fmt.Sprintf("message %d %s", i, strings.Repeat("and so on ", 40)))
				}
			}
			says("chat", "the door code is 4711")
			fill("chat")
			w.rests("the store", func(s session.Status) bool { return s.Waiting+s.Sending == 0 })
			w.kill()
			w.start()
			found := func(got string) bool {
				return strings.Contains(got, `/1","time"`) && strings.Contains(got, "the door code is 4711")
			}
			if got := says("chat", "find door code"); !found(got) || strings.Contains(got, "earlier") {
				t.Errorf("found %q", got)
			}
			says("other", "we have no code")
			fill("other")
			if got := says("other", "find 4711"); !strings.Contains(got, "No entry has any of these words") {
				t.Errorf("another chat finds %q", got)
			}
			fill("without")
			if got := says("without", "find door"); got != "I have no tool for that" {
				t.Errorf("without the tool: %q", got)
			}
			says("chat", "/new")
			if got := says("chat", "find 4711"); !found(got) || !strings.Contains(got, `"conversation":"earlier"`) {
				t.Errorf("after /new it finds %q", got)
			}
		})
	}
}
