package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// TestTelegramManyBackgroundAgents starts three agents in each of 300 chats at once:
// every report comes once, in its own chat, where its own model has read it.
func TestTelegramManyBackgroundAgents(t *testing.T) {
	t.Parallel()
	const agents = 3
	chats := 300
	if raceFlags == "-race" || testing.Short() { // the race detector costs tenfold
		chats = 60
	}
	tg := faketelegram.New(t)
	var all []*faketelegram.Chat
	for range chats {
		all = append(all, tg.Private(tg.User("Ada")))
	}
	word := func(chat, agent int) string { return fmt.Sprintf("word-%d-%d.", chat, agent) }
	b := asks()
	w := newTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		of := map[string]bool{}
		for _, part := range strings.Split(strings.Join(persons(req), "\n"), "word-")[1:] {
			chat, _, _ := strings.Cut(part, "-")
			of[chat] = true
		}
		if len(of) != 1 {
			t.Errorf("a request is about the chats %v", of)
		}
		return b(req)
	}, all...)
	for i, chat := range all {
		var round []rig.ScriptCall
		for k := range agents {
			task := rig.Script{Quiet: true, Parts: []string{word(i, k)}}.Ask(fmt.Sprintf("%012x", 1<<40+i*agents+k))
			round = append(round, rig.ScriptCall{Tool: "spawn", Args: map[string]any{"task": task, "name": "a look"}})
		}
		chat.Say(rig.Script{Rounds: [][]rig.ScriptCall{round}}.Ask(fmt.Sprintf("%012x", i)))
	}
	w.await("every report", func() bool {
		for _, chat := range all {
			if len(chat.Texts()) < 1+agents {
				return false
			}
		}
		return true
	})
	w.rest()
	for i, chat := range all {
		texts := chat.Texts()
		if len(texts) != 1+agents || !strings.Contains(texts[0], fmt.Sprintf("answer rq%012x", i)) {
			t.Errorf("chat %d was told %q", i, texts)
		}
		for k := range agents {
			if n := strings.Count(strings.Join(texts, "\n"), word(i, k)); n != 1 {
				t.Errorf("chat %d was told %d times of %s: %q", i, n, word(i, k), texts)
			}
		}
	}
}
