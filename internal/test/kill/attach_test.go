package kill_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/internal/tools/promises"
)

// attachedPoints are the points that a gateway passes with a console at it: a message of a
// console is one part.
func attachedPoints() []point {
	return slices.DeleteFunc(points(), func(p point) bool { return p.name == "P12" })
}

// TestKillTheGatewayUnderAConsole: the console stays, sends again what was not taken, and shows each
// answer once.
func TestKillTheGatewayUnderAConsole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachSeed(t, attachedPoints(), func(t *testing.T, p point, seed int) {
		t.Helper()
		w := newWorld(t, server.Options{})
		l := newLines(w, newRand("under "+p.name, seed), p.must)
		failpoint := l.dies(p)
		first := w.serves("PARLEY_FAILPOINT=" + failpoint)
		var screen screen
		console := w.console(l.input(), &screen)
		w.died(first, failpoint)
		second := w.serves()
		if exit := w.exits(console, 60*time.Second); exit.Code != 0 {
			t.Errorf("the console ended with code %d", exit.Code)
		}
		w.ends(second)
		w.storeCheck()
		l.check("attached", p.name, screen.String(), "")
	})
}

// TestKillTheGatewayAndItsConsole at once: the next console has the rest of the answers.
func TestKillTheGatewayAndItsConsole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachSeed(t, attachedPoints(), func(t *testing.T, p point, seed int) {
		t.Helper()
		w := newWorld(t, server.Options{})
		l := newLines(w, newRand("both "+p.name, seed), p.must)
		failpoint := l.dies(p)
		first := w.serves("PARLEY_FAILPOINT=" + failpoint)
		var before, after screen
		console := w.console(l.input(), &before)
		w.died(first, failpoint)
		console.Kill()
		l.again++
		second := w.serves()
		w.lastLine(&after)
		w.ends(second)
		w.storeCheck()
		l.check("both die", p.name, before.String(), after.String())
	})
}

// TestKillAConsole at a line that was read and not sent, at one that was sent and not yet answered,
// and at an answer that was shown and is not yet known to be seen. The gateway goes on.
func TestKillAConsole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	own := slices.DeleteFunc(points(), func(p point) bool { return p.name != "P1" && p.name != "P2" && p.name != "P10" })
	eachSeed(t, own, func(t *testing.T, p point, seed int) {
		t.Helper()
		w := newWorld(t, server.Options{})
		l := newLines(w, newRand("console "+p.name, seed), p.must)
		failpoint := l.dies(p)
		gateway := w.serves()
		var before, after screen
		console := w.console(l.input(), &before, "PARLEY_FAILPOINT="+failpoint)
		w.died(console, failpoint)
		w.lastLine(&after)
		w.ends(gateway)
		w.storeCheck()
		l.check("a console dies", p.name, before.String(), after.String())
	})
}

// serves runs a gateway for consoles, and waits until they may attach.
func (w *world) serves(env ...string) *rig.Process {
	w.t.Helper()
	p, err := w.gw.Start(w.ctx, nil, nil, append(env, "PARLEY_TEST_CHANNEL="), "run")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(p.Kill)
	if _, err := w.gw.Status(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// ends stops such a gateway.
func (w *world) ends(p *rig.Process) {
	w.t.Helper()
	p.Signal(syscall.SIGTERM)
	if exit := w.exits(p, 30*time.Second); exit.Code != 0 {
		w.t.Errorf("%s after SIGTERM", exit.How)
	}
}

// lastOfAll is the answer to the line behind all others.
const lastOfAll = "rqfffffffffff0"

// lastLine pipes one more line into a console, which shows first what was not seen.
func (w *world) lastLine(s *screen) {
	w.t.Helper()
	process := w.console(strings.NewReader("hello nqfffffffffff0\n"), s)
	if exit := w.exits(process, 30*time.Second); exit.Code != 0 {
		w.t.Errorf("the last console ended with code %d", exit.Code)
	}
	if !strings.HasSuffix(strings.TrimSpace(s.String()), lastOfAll) {
		w.t.Errorf("the last answer is not the last that was asked for:\n%s", s.String())
	}
}

// lines are those that a person pipes into a console.
type lines struct {
	w      *world
	rng    *rand.Rand
	nonces []string
	text   strings.Builder
	// stored is how many are stored for sure when a process dies, and again how many answers at the end
	// of the screen may come once more.
	stored, again int
}

func newLines(w *world, rng *rand.Rand, must kind) *lines {
	l := &lines{w: w, rng: rng}
	w.model.Delay(time.Duration(rng.IntN(10)) * time.Millisecond)
	for i := range 2 + rng.IntN(3) {
		nonce := fmt.Sprintf("%04x%08x", i, rng.Uint32())
		l.nonces = append(l.nonces, nonce)
		q := newQuestion(rng, w.ledger, "console", must)
		l.text.WriteString(q.text + " nq" + nonce + "\n")
	}
	return l
}

func (l *lines) input() io.Reader { return strings.NewReader(l.text.String()) }

// dies is a hit of a point, at which a process dies, alone or with the other one. The lines pass a point in their order, one by
// one, so that those up to the hit are stored then, but for the one that was read alone. A console
// shows an answer once the gateway knows that the one before it was seen, or is gone.
func (l *lines) dies(p point) string {
	hit := 1 + l.rng.IntN(len(l.nonces))
	l.stored, l.again = hit, 1
	if p.name == "P1" {
		l.stored--
	}
	return fmt.Sprintf("%s:%d", p.name, hit)
}

// check counts the answers on the screens before and after a death. Where the console lived, there is
// one screen, with each answer once. A console that died may have read lines that it did not send:
// none behind them was sent either. Its last answer may have been shown, and come again because the
// gateway did not know that it was; where both died, so may the one before it.
func (l *lines) check(channel, point, before, after string) {
	t := l.w.t
	t.Helper()
	row := tally{channel: channel, point: point, crashes: 1, asks: len(l.nonces)}
	died, shown := after != "", before+after
	unsent, at := false, -1
	for i, nonce := range l.nonces {
		answer := "rq" + nonce
		n := strings.Count(shown, answer)
		switch {
		case n == 0 && died && i >= l.stored:
			unsent = true
		case n == 0 || unsent:
			row.lost++
			t.Errorf("line %d of %d was answered %d times, with %d stored, and one unsent before it: %v", i+1, len(l.nonces), n, l.stored, unsent)
		case n == 2 && died && strings.Count(before[strings.LastIndex(before, answer):], "rq") <= l.again:
			row.window++
		case n > 1:
			row.doubled++
			t.Errorf("line %d of %d was answered %d times", i+1, len(l.nonces), n)
		}
		now := strings.LastIndex(shown, answer)
		if now >= 0 && now < at {
			t.Errorf("the answer to line %d of %d is before the one to the line before it", i+1, len(l.nonces))
		}
		at = max(at, now)
	}
	if v := l.w.model.Violations(); len(v) > 0 {
		t.Errorf("the model refused: %q", v)
	}
	if t.Failed() {
		t.Logf("first screen:\n%s\nsecond screen:\n%s", before, after)
	}
	summary.add(row)
}
