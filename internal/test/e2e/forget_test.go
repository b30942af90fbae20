package e2e_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
)

// buried is a word that no file of the gateway may have once its chat is forgotten.
const buried = "xylophagous"

// holders are the files of a gateway, its log included, that have the word.
func holders(t *testing.T, w *world) (names []string) {
	t.Helper()
	err := filepath.WalkDir(w.gw.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it has gone meanwhile
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(buried)) {
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return names
}

// TestForgetInTheChat: /forget asks, a no leaves the chat, and a yes deletes it: the person reads so in the
// place of the question, the model sees an empty conversation, and no file of the gateway has a word of it.
func TestForgetInTheChat(t *testing.T) {
	t.Parallel()
	for name, on := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := on(t, recites)
			yes, no := "Forget it", "Keep it"
			switch at := p.(type) {
			case *consolePlace:
				at.keys[yes], at.keys[no] = "y", "n"
			case *webPlace:
				at.decisions[yes], at.decisions[no] = "allow_once", "deny"
			}
			p.say("I am " + buried)
			sees(p, "I see I am "+buried)
			p.say("/forget")
			sees(p, "Forget this chat for good?")
			p.press(no)
			sees(p, "This chat stays as it is")
			p.say("and so")
			sees(p, "I see I am "+buried+"|and so")
			answersLate(p) // and the person is quicker
			p.say("/forget")
			p.until("the second question", func() bool { return p.shown("Forget this chat for good?") > 0 })
			p.press(yes)
			sees(p, "This chat is forgotten")
			p.say("who am I")
			p.until("an answer that knows no more", func() bool { return strings.Contains(p.text(), "I see who am I") })
			p.until("a state folder without the word", func() bool { return len(holders(t, p.under())) == 0 })
			if _, is := p.(*consolePlace); !is && p.shown("Question ") > 0 {
				t.Errorf("the question is still there:\n%s", p.text())
			}
		})
	}
}

// answersLate lets the platform of a place answer the next message late.
func answersLate(p place) {
	const late = time.Second
	switch at := p.(type) {
	case *telegramPlace:
		at.tg.Harm(faketelegram.Rule{Method: "sendMessage", Times: 1, Fault: faketelegram.Fault{Hold: late}})
	case *slackPlace:
		at.srv.Harm(fakeslack.Rule{Method: "chat.postMessage", Times: 1, Fault: fakeslack.Fault{Hold: late}})
	}
}

// TestForgetInAGroup is for owners alone.
func TestForgetInAGroup(t *testing.T) {
	t.Parallel()
	const refused = "In a group, an owner has the chat forgotten."
	t.Run("telegram", func(t *testing.T) {
		t.Parallel()
		tg := faketelegram.New(t)
		ada := tg.User("Ada")
		group := tg.Group("all", ada)
		w := newTelegram(t, tg, recites, group)
		group.Say("/forget@" + tg.Bot().User().Username)
		w.reads(group, refused)
	})
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		srv := fakeslack.New(t)
		ann := srv.User("Ann")
		general := srv.Channel("general", ann)
		w := newSlack(t, srv, recites)
		w.linked()
		general.Command("forget")
		w.reads(general, refused)
	})
}
