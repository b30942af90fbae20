package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"parley/pkg/session"
)

// manners are how the tests of a platform in trouble write and look.
type manners[C any] struct {
	say func(chat C, text string)
	// sent is when each message of the bot in a chat was sent.
	sent func(chat C) []time.Time
}

// attempt is a request to send a message, as the fake booked it.
type attempt struct {
	status int // 0 while it has no answer
	done   time.Time
}

// refused waits for n attempts to send to a chat that got a status, and gives the last.
func (w *platformWorld[I, M, C]) refused(chat C, status, n int) attempt {
	w.t.Helper()
	var all []attempt
	w.await("a refusal", func() bool {
		all = slices.DeleteFunc(w.sends(chat), func(a attempt) bool { return a.status != status })
		return len(all) >= n
	})
	return all[n-1]
}

// limitsOneChat is for a platform that asks once for time in the chat slow: that one waits,
// also with later messages, and others do not.
func (w *platformWorld[I, M, C]) limitsOneChat(m manners[C], slow, other C, wait time.Duration) {
	w.t.Helper()
	m.say(slow, "one")
	refused := w.refused(slow, http.StatusTooManyRequests, 1).done
	m.say(slow, "two")
	m.say(other, "one")
	w.hears(other, "one")
	m.say(other, "two")
	w.hears(other, "one", "two")
	w.hears(slow, "one", "two")
	first := m.sent(slow)[0]
	if waited := first.Sub(refused); waited < wait {
		w.t.Errorf("the chat was left alone for %v", waited)
	}
	for i, at := range m.sent(other) {
		if at.After(first) {
			w.t.Errorf("message %d of the other chat waited for it", i)
		}
	}
}

// troubleDelaysNobody is for a silent chat, in which no request gets an answer, one
// that is told again and again to wait, and people who ask beside them. Admit ends the
// waits, and answer the silence.
func (w *platformWorld[I, M, C]) troubleDelaysNobody(
	m manners[C], hanging, limited C, others []C, wait time.Duration, admit, answer func(),
) {
	w.t.Helper()
	var said []string
	resting := func(s session.Status) bool { return s.Waiting == 0 && s.Sending == len(said) }
	for i := range 2 {
		said = append(said, fmt.Sprint(i))
		m.say(hanging, said[i])
		w.await("the send that hangs", func() bool { return len(w.sends(hanging)) == 1 })
		w.rests("an answer behind it", resting)
	}
	for i := range said {
		m.say(limited, said[i])
		refused := w.refused(limited, http.StatusTooManyRequests, i+1).done
		for _, chat := range others {
			m.say(chat, said[i])
		}
		for _, chat := range others {
			w.hears(chat, said[:i+1]...)
			if took := m.sent(chat)[i].Sub(refused); took >= wait {
				w.t.Fatalf("a chat was answered after %v: it waited for the one that had to", took)
			}
		}
	}
	if n := len(w.sends(hanging)); n != 1 {
		w.t.Errorf("%d attempts to send to the chat that hangs, want the first one still under way", n)
	}
	if got := slices.Concat(hanging.Texts(), limited.Texts()); len(got) > 0 {
		w.t.Errorf("the chats in trouble read %q", got)
	}
	admit()
	w.hears(limited, said...)
	w.rests("all but the chat that hangs", resting)
	answer()
	w.kill()
	w.start()
	w.hears(hanging, said...)
}
