package sessiontest

import (
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func latestTests() []test {
	return []test{
		{"nothing was ever said there", func(b *bench) {
			_, err := b.e.Sessions().Latest(b.Context(), addr("nobody"))
			b.wantErr(err, session.ErrNotFound)
			b.append(item("a", "1"), taken("nobody", "d1", "0"))
			thread := addr("a")
			thread.Thread = "t"
			for _, a := range []channels.Address{addr("nobody"), thread} {
				_, err = b.e.Sessions().Latest(b.Context(), a)
				b.wantErr(err, session.ErrNotFound)
			}
			info, err := b.e.Sessions().Lookup(b.Context(), addr("a"))
			b.must(err)
			b.must(b.e.Sessions().Forget(b.Context(), info.Session))
			_, err = b.e.Sessions().Latest(b.Context(), addr("a"))
			b.wantErr(err, session.ErrNotFound)
		}},
		{"it is as of the newest thing, stored or ended or sent", testLatestGrows},
		{"it is that of the chat that has moved here", func(b *bench) {
			b.append(item("a", "1"))
			was := b.latest("a")
			b.must(b.e.Chats().Move(b.Context(), addr("a"), addr("b")))
			b.equal(was, b.latest("a"))
			b.equal(was, b.latest("b"))
		}},
		{"what an agent's work shows counts for the chat that started it", func(b *bench) {
			b.append(item("a", "1"))
			w := b.turns()
			h := w.next()
			task := session.Task{ID: "t1", Chat: h.what.Info().Chat, Session: h.what.Info().Session, Address: addr("a"), State: session.TaskRunning}
			b.must(h.what.Record(b.Context(), session.Step{Kind: session.StepStarted, Tasks: []session.Task{task}, Await: true}))
			b.answer(h, session.Commit{})
			was := b.latest("a")
			shown, err := b.e.Tasks().ShowTask(b.Context(), "t1", outbound("a", "status"))
			b.must(err)
			b.equal(true, shown)
			b.later("a", was)
		}},
	}
}

func (b *bench) latest(chat string) time.Time {
	b.Helper()
	at, err := b.e.Sessions().Latest(b.Context(), addr(chat))
	b.must(err)
	return at
}

// later is when a chat last had something, which has to be newer than it was.
func (b *bench) later(chat string, was time.Time) time.Time {
	b.Helper()
	at := b.latest(chat)
	if !at.After(was) {
		b.Fatalf("chat %s: %v, and before the latest thing it was %v", chat, at, was)
	}
	return at
}

func testLatestGrows(b *bench) {
	began := time.Now().Add(-time.Second) // the engine's clock may be coarser
	b.append(item("a", "1"))
	at := b.later("a", began)
	if now := time.Now().Add(time.Second); at.After(now) {
		b.Errorf("%v is not over yet: it is %v", at, now)
	}
	w := b.turns()
	b.answer(w.next(), session.Commit{})
	at = b.later("a", at)
	b.must(w.stop())

	b.append(item("a", "2")) // no turn has begun
	at = b.later("a", at)
	b.append(item("a", "3"), item("b", "4"))
	at = b.later("a", at)
	b.crash()
	b.equal(at, b.latest("a"))
	w = b.turns()
	h := w.next()
	if h.what.Info().Address != addr("a") {
		h = w.next()
	}
	before := b.latest("b")
	b.answer(h, session.Commit{Outbox: []channels.Outbound{outbound("b", "o1"), outbound("a", "o2")}})
	at = b.later("a", at)
	b.later("b", before) // a message from elsewhere
	b.must(w.stop())
	b.reopen()
	b.equal(at, b.latest("a"))
}
