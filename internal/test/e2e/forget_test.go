package e2e_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
	"parley/pkg/channels"
	"parley/pkg/gateway/files"
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

// TestForgetEndsTheWork: a program that a chat runs in the background ends with it. No file appears behind the
// operator's back once the command has returned.
func TestForgetEndsTheWork(t *testing.T) {
	t.Parallel()
	const script = `{"argv":["sh","-c","while :; do mkdir -p \"$0\"; echo ` + buried + ` > \"$0/note\"; sleep 0.02; done","SPACE"],` +
		`"background":true}`
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	place := fmt.Sprintf("telegram:%d", chat.ID())
	acts := map[string][]step{"work": {{"run_command", ""}}}
	w := newTelegramWith(t, tg, scripted(acts), rig.Config{Telegram: &rig.Telegram{}, Tools: map[string]any{
		"shell": map[string]any{"enabled": true, "allow": []string{"sh"}, "unsafe": true},
		"chats": map[string]any{place: map[string]any{"level": "exec"}},
	}})
	space := files.NewSpaces(filepath.Join(w.gw.Dir, "workspace")).Of(
		channels.Address{Channel: "telegram", Account: fmt.Sprint(tg.Bot().User().ID), Chat: fmt.Sprint(chat.ID())}, false)
	acts["work"][0].args = strings.Replace(script, "SPACE", space, 1)
	chat.Say("work")
	chat.Press(w.asked(chat).ID, "Allow once")
	w.says(chat, "done")
	w.looks("a file of the program", func() bool {
		b, err := os.ReadFile(filepath.Join(space, "note"))
		return err == nil && len(b) > 0
	})
	for range 2 { // the second time it is a command that takes its time
		out, err := w.gw.Command(w.ctx, nil, "sessions", "forget", "--yes", "--wait", place).CombinedOutput()
		if bytes.Contains(out, []byte("no conversation")) {
			err = nil
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if names := holders(t, w.world); len(names) > 0 {
			t.Errorf("the word is in %v", names)
		}
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
