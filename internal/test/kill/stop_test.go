package kill_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/internal/tools/promises"
)

// running pushes one plain question in each of n chats and waits until the model holds them all.
func (w *world) running(n int) {
	w.t.Helper()
	rng := newRand("running", 0)
	for i := range n {
		w.push(newQuestion(rng, w.ledger, chatName(i), plain))
	}
	for range n {
		select {
		case <-w.model.arrivals:
		case <-w.ctx.Done():
			w.t.Fatal("the turns did not start")
		}
	}
}

// exits waits until the process has ended, which must happen within d.
func (w *world) exits(p *rig.Process, d time.Duration) rig.Exit {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, d)
	defer cancel()
	exit, err := p.Wait(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return exit
}

func TestTermWithTenTurnsRunning(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]bool{"turns finish": true, "turns do not finish": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && !finish { // it takes the 20 s that a stop gives to turns
				t.Skip(promises.Later)
			}
			termWithTurnsRunning(newWorld(t, server.Options{}), 10, finish)
		})
	}
}

func TestTermOnSlackWithTurnsRunning(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	for name, finish := range map[string]bool{"turns finish": true, "turns do not finish": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newSlackWorld(t, 0)
			termWithTurnsRunning(w, maxChats, finish)
		})
	}
}

// termWithTurnsRunning ends the gateway with SIGTERM while n turns run, and starts it again.
func termWithTurnsRunning(w *world, n int, finish bool) { //nolint:revive // the two cases differ in one step
	w.t.Helper()
	release := w.model.hold()
	p := w.start("")
	w.running(n)
	p.Signal(syscall.SIGTERM)
	if finish {
		release()
	}
	if exit := w.exits(p, 30*time.Second); exit.Code != 0 {
		w.t.Errorf("%s after SIGTERM", exit.How)
	}
	w.storeCheck()
	if !finish {
		release()
	}
	w.crashed() // the end of the first process, as far as doubles go
	p = w.start("")
	w.answered()
	w.terminate(p)
	if row := w.check(); row.window > 0 {
		w.t.Errorf("%d messages came twice over a SIGTERM", row.window)
	}
}

func TestSecondTermEndsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server.Options{MaxPoll: time.Minute})
	secondTermEndsAtOnce(w,
		func() bool { return w.chat.Polling() && w.chat.Unconfirmed() == 0 },
		func() bool { return !w.chat.Polling() })
}

func TestSecondTermOnSlackEndsAtOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	w, srv := newSlackWorld(t, 1)
	secondTermEndsAtOnce(w,
		func() bool { return srv.Sockets() > 0 && len(srv.Unacked()) == 0 },
		func() bool { return srv.Sockets() == 0 })
}

// secondTermEndsAtOnce sends two signals while turns run. It waits until everything was
// acknowledged (taken), and until no more is taken in (deaf).
func secondTermEndsAtOnce(w *world, taken, deaf func() bool) {
	w.t.Helper()
	release := w.model.hold()
	p := w.start("")
	w.running(3)
	w.wait("everything to be acknowledged", taken)
	p.Signal(syscall.SIGTERM)
	// A gateway that stops is deaf: once that is so, the first signal was seen.
	w.wait("the end of all intake", deaf)
	p.Signal(syscall.SIGTERM)
	w.exits(p, 5*time.Second)
	release()
	w.crashed()
	p = w.start("")
	w.answered()
	w.terminate(p)
	w.storeCheck()
	w.check()
}

func TestKilledWithFiveTasksRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server.Options{})
	p := w.start("")
	for i := range 5 {
		q := question{chat: direct(i), kind: background, calls: [][]string{{"background"}}, task: w.canary(direct(i))}
		q.text = rig.Script{Rounds: [][]rig.ScriptCall{{{
			Tool: "background", Args: map[string]any{"text": q.task, "n": 3_600_000},
		}}}}.Text()
		w.push(q)
	}
	w.answered()
	p.Kill()
	w.crashed()
	p = w.start("")
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	if err := w.until(ctx, w.tasksTold); err != nil {
		t.Fatalf("not every chat was told within 10 s: %v", err)
	}
	w.terminate(p)
	w.storeCheck()
	// The next start has no more to say.
	p = w.start("")
	rng := newRand("tasks", 0)
	for i := range 5 {
		w.push(newQuestion(rng, w.ledger, direct(i), plain))
	}
	w.answered()
	w.terminate(p)
	w.check()
	for i := range 5 {
		if n := w.interrupted(direct(i)); n != 1 {
			t.Errorf("%s was told %d times that its task was interrupted, want 1", direct(i), n)
		}
	}
}

func TestPoisonIsQuarantined(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server.Options{})
	rng := newRand("poison", 0)
	poison := rig.Script{Rounds: [][]rig.ScriptCall{{{Tool: "die", Args: map[string]any{}}}}}.Text()
	w.chat.Say("poisoned", poison+" nq000000000000")
	for i := range 4 {
		w.push(newQuestion(rng, w.ledger, direct(i), plain))
	}
	deaths := 0
	var p *rig.Process
	for ; deaths <= 3; deaths++ {
		p = w.start("")
		if !w.diesBefore(p, func() bool { return len(w.chat.Messages("poisoned")) > 0 }) {
			break
		}
		w.crashed()
	}
	if deaths != 3 {
		t.Errorf("the gateway died %d times before the item was set aside, want 3", deaths)
	}
	w.answered()
	// Its chat goes on.
	w.push(newQuestion(rng, w.ledger, "poisoned", plain))
	w.answered()
	w.terminate(p)
	w.storeCheck()
	w.check()
	for _, m := range w.chat.Messages("poisoned") {
		t.Logf("the chat was told: %s", m.Text)
	}
}
