package e2e_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// TestANewcomerBehindACrowd lets many people wait for a slow model, and then a newcomer
// write: the newcomer is answered within a minute though most of the crowd still waits.
// In the end each of them has one answer. With the populations of `make large` another
// newcomer writes when more answers than there are lanes wait for the bot's 30 messages
// a second.
func TestANewcomerBehindACrowd(t *testing.T) {
	t.Parallel()
	const places = 208 // turns that ask the model at once
	crowd, slow, perBot, times := 3*places, patience, 0.0, time.Duration(1)
	answers := 8 // that the model gives the crowd each time that the newcomer looks
	if large() {
		crowd, slow, perBot, times, answers = 20_000, 10*time.Second, 30, 28, 0
	}
	ready := make(chan struct{})
	allReady := sync.OnceFunc(func() { close(ready) })
	t.Cleanup(allReady)
	var begun, asking atomic.Int64
	tg := faketelegram.New(t, faketelegram.Options{Limits: faketelegram.Limits{PerBot: perBot}})
	w := prepareTelegram(t, tg, func(req fakemodel.Request) fakemodel.Answer {
		text := lastUser(req)
		if strings.HasSuffix(text, "one of the crowd") {
			begun.Add(1)
			asking.Add(1)
			defer asking.Add(-1)
			timer := time.NewTimer(slow)
			defer timer.Stop()
			select {
			case <-ready:
			case <-timer.C:
			}
		}
		return fakemodel.Say(heardMark + text)
	}, rig.Config{Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token(), PerBot: perBot}})
	w.lives(patience * times)
	people := make([]*faketelegram.Chat, crowd)
	for i := range people {
		people[i] = tg.Private(tg.User("Ada"))
		people[i].Say("one of the crowd")
	}
	w.run()
	w.looks("a crowd that waits", func() bool { return asking.Load() >= places && len(tg.Bot().Unconfirmed()) == 0 })
	newcomer := func(name string) time.Duration {
		came, chat := time.Now(), tg.Private(tg.User(name))
		chat.Say("hello from " + name)
		w.looks("the message of "+name, func() bool { return len(tg.Bot().Unconfirmed()) == 0 })
		w.looks("an answer for "+name, func() bool {
			free := answers
			if asking.Load() < places && begun.Load() < int64(crowd) {
				free = 0 // the gateway has yet to give places away
			}
			for range free {
				select {
				case ready <- struct{}{}:
				default:
				}
			}
			return len(chat.Texts()) > 0
		})
		waited := time.Since(came)
		t.Logf("%s waited %v; %d of %d turns of the crowd had begun; peak %d MB", name, waited, begun.Load(), crowd, w.peak())
		w.reads(chat, heardMark+"hello from "+name)
		return waited
	}
	if waited := newcomer("Ben"); waited > time.Minute {
		t.Errorf("the newcomer waited %v", waited)
	}
	if n := begun.Load(); n >= int64(crowd) {
		t.Errorf("all %d turns of the crowd came first", n)
	}
	allReady()
	if large() {
		w.looks("a crowd of answers", func() bool { s, err := w.gw.Status(w.ctx); return err == nil && s.Sending > 6000 })
		if waited := newcomer("Cleo"); waited > time.Minute {
			t.Errorf("the newcomer behind the answers waited %v", waited)
		}
	}
	began := time.Now()
	w.looks("an answer for each", func() bool { return tg.Count("sendMessage") > crowd })
	t.Logf("all were answered after another %v; peak %d MB", time.Since(began), w.peak())
	for _, chat := range people {
		w.reads(chat, heardMark+"one of the crowd")
	}
}

// lives gives the test that much time from now on.
func (w *world) lives(d time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), d)
	w.t.Cleanup(cancel)
	w.ctx = ctx
}
