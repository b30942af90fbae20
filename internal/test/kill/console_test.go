package kill_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/internal/tools/promises"
)

// consolePoints are the points that a piped console passes. It has no acknowledgement
// (P3) and does not split (P12). At P1 the line was read and is not stored: no pipe
// gives it again, so it may be lost.
func consolePoints() []point {
	var all []point
	for _, p := range points() {
		switch p.name {
		case "P3", "P12":
		default:
			all = append(all, p)
		}
	}
	return all
}

func TestKillTheConsoleAtEachPoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachSeed(t, consolePoints(), func(t *testing.T, p point, seed int) {
		t.Helper()
		killConsole(newWorld(t, server.Options{}), p, seed)
	})
}

// screen keeps the console's output.
type screen struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	written chan struct{} // closed with the next write; nil without a waiting test
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written != nil {
		close(s.written)
		s.written = nil
	}
	return s.buf.Write(p)
}

// next waits until something was written since the call, or a second has passed.
func (s *screen) next(ctx context.Context) {
	s.mu.Lock()
	if s.written == nil {
		s.written = make(chan struct{})
	}
	written := s.written
	s.mu.Unlock()
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-written:
	case <-t.C:
	case <-ctx.Done():
	}
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// killConsole pipes a few lines into gateway chat, which dies on one of them, and one
// more line into a second one, which first gives the first one's unsaid answers.
func killConsole(w *world, p point, seed int) {
	t := w.t
	rng := newRand("console"+p.name, seed)
	w.model.Delay(time.Duration(rng.IntN(10)) * time.Millisecond)
	lines := 2 + rng.IntN(3)
	var nonces []string
	var input strings.Builder
	for i := range lines {
		nonce := fmt.Sprintf("%04x%08x", i, rng.Uint32())
		nonces = append(nonces, nonce)
		q := newQuestion(rng, w.ledger, "console", p.must)
		input.WriteString(q.text + " nq" + nonce + "\n")
	}
	failpoint := fmt.Sprintf("%s:%d", p.name, 1+rng.IntN(lines))

	var first, second screen
	process := w.console(strings.NewReader(input.String()), &first, "PARLEY_FAILPOINT="+failpoint)
	w.died(process, failpoint)
	process = w.console(strings.NewReader("hello nqfffffffffff0\n"), &second)
	if exit := w.exits(process, 30*time.Second); exit.Code != 0 {
		t.Errorf("the second console ended with code %d", exit.Code)
	}
	w.storeCheck()

	row := tally{channel: "console", point: p.name, crashes: 1, asks: lines}
	before, after := first.String(), second.String()
	if !strings.HasSuffix(strings.TrimSpace(after), "rqfffffffffff0") {
		t.Error("the last answer is not the last that was asked for")
	}
	last := lastAnswer(before)
	hung := -1 // the line on which it died: the first without an answer
	for i, nonce := range nonces {
		answer := "rq" + nonce
		switch n := strings.Count(before, answer) + strings.Count(after, answer); {
		case n == 0 && hung < 0 && p.name != "P1":
			row.lost++
			t.Errorf("line %d of %d was taken in and never answered", i+1, lines)
		case n == 2 && last == answer:
			row.window++ // it was on the screen, and its receipt perhaps not yet stored
		case n > 1:
			row.doubled++
			t.Errorf("line %d of %d was answered %d times", i+1, lines, n)
		}
		if hung < 0 && !strings.Contains(before, answer) {
			hung = i
		}
	}
	if row.window > 1 {
		t.Errorf("%d answers came twice", row.window)
	}
	if v := w.model.Violations(); len(v) > 0 {
		t.Errorf("the model refused: %q", v)
	}
	if t.Failed() {
		t.Logf("first screen:\n%s\nsecond screen:\n%s", before, after)
	}
	summary.add(row)
}

// lastAnswer is the last answer on a screen.
func lastAnswer(screen string) string {
	i := strings.LastIndex(screen, "rq")
	if i < 0 {
		return ""
	}
	return screen[i:min(len(screen), i+len("rq")+12)]
}

func (w *world) console(in io.Reader, out io.Writer, env ...string) *rig.Process {
	w.t.Helper()
	// The test channel stays out of it.
	p, err := w.gw.Start(w.ctx, in, out, append(env, "PARLEY_TEST_CHANNEL="), "chat")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(p.Kill)
	return p
}
