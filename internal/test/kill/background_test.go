package kill_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
	"parley/internal/tools/promises"
	"parley/pkg/session"
)

// backgroundPoints are where the gateway dies round background work and jobs:
//
//	T1 before the task's record · T2 after it · T3 while it runs · T4 after the work,
//	before its end is stored · T5 after that, before anybody is told
//	J1 due, not fired · J2 fired · J3 in its turn · J4 after that, before it is sent
func backgroundPoints() []point {
	var all []point
	for _, k := range []kind{background, spawned} {
		for _, name := range []string{"T1", "T2", "T3", "T4", "T5"} {
			all = append(all, point{name: name, must: k})
		}
	}
	for _, k := range []kind{reminder, prompted} {
		for _, name := range []string{"J1", "J2", "J3", "J4"} {
			all = append(all, point{name: name, must: k})
		}
	}
	return all
}

// eachPoint runs kill for every point and kind of work, as eachSeed does for points.
func eachPoint(t *testing.T, points []point, kill func(t *testing.T, p point, seed int)) {
	t.Helper()
	for _, p := range points {
		t.Run(fmt.Sprintf("%s_%s", p.name, p.must), func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				t.Run(fmt.Sprint(seed), func(t *testing.T) { kill(t, p, seed) })
			}
		})
	}
}

// toldWithin is how soon after the restart everybody must know the outcome.
const toldWithin = 10 * time.Second

// work asks for some work of a kind in some chats, and for something beside it.
func work(rng *rand.Rand, l *ledger, k kind) (all []question, count int) {
	for c := range 1 + rng.IntN(3) {
		for range 1 + rng.IntN(2) {
			all = append(all, newQuestion(rng, l, chatName(c), k))
			count++
		}
		all = append(all, newQuestion(rng, l, chatName(c), plain))
	}
	return all, count
}

func TestKillBackgroundWorkOnTelegram(t *testing.T) {
	t.Parallel()
	eachPoint(t, backgroundPoints(), func(t *testing.T, p point, seed int) {
		t.Helper()
		killBackgroundWork(t, telegramStage(), p, seed)
	})
}

func TestKillBackgroundWorkOnSlack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	all := backgroundPoints()
	if seeds == 1 { // one kind of work at each point; which, is the engine's business
		seen := map[string]bool{}
		all = slices.DeleteFunc(all, func(p point) bool {
			late := p.must == spawned || p.must == prompted
			second := seen[p.name] || !late && strings.ContainsAny(p.name, "24")
			seen[p.name] = seen[p.name] || !second
			return second
		})
	}
	eachPoint(t, all, func(t *testing.T, p point, seed int) {
		t.Helper()
		killBackgroundWork(t, slackStage(), p, seed)
	})
}

// killBackgroundWork kills the gateway at a point of background work or of jobs: each
// ends in exactly one notice, in time.
func killBackgroundWork(t *testing.T, at stage, p point, seed int) {
	t.Helper()
	rng := newRand("background"+p.name+string(p.must), seed)
	w := at.open(t, rng.IntN(at.sorts))
	w.model.Delay(time.Duration(rng.IntN(10)) * time.Millisecond)
	questions, count := work(rng, w.ledger, p.must)
	failpoint := fmt.Sprintf("%s:%d", p.name, 1+rng.IntN(count))
	dying := w.start(failpoint)
	w.push(questions...)
	w.died(dying, failpoint)

	second := w.start("")
	soon, cancel := context.WithTimeout(w.ctx, toldWithin)
	defer cancel()
	if err := w.until(soon, func() bool {
		return len(w.read(w.messages()).answered) == len(w.asks) && w.canariesSeen() && w.everyTaskTold()
	}); err != nil {
		t.Fatalf("not everybody was told within %v: %v", toldWithin, err)
	}
	if status, err := w.gw.Status(w.ctx); err != nil || status.OpenTasks > 0 {
		t.Errorf("%d tasks are still open, %v", status.OpenTasks, err)
	}
	w.terminate(second)
	w.storeCheck()

	third := w.start("") // has no more to say
	for chat := range chatSet(questions) {
		w.push(newQuestion(rng, w.ledger, chat, plain))
	}
	w.answered()
	w.terminate(third)
	w.storeCheck()
	row := w.check()
	row.channel, row.point = at.channel+" "+string(p.must), p.name
	summary.add(row)
}

// everyTaskTold says whether each chat was told of all of its tasks: no record is lost,
// wherever the gateway died.
func (w *world) everyTaskTold() bool {
	for chat, b := range w.tasks() {
		if w.told(chat) != b[1] {
			return false
		}
	}
	return true
}

// TestKillBackgroundWorkOnTheConsole does the same in a console that stays open.
func TestKillBackgroundWorkOnTheConsole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachPoint(t, backgroundPoints(), func(t *testing.T, p point, seed int) {
		t.Helper()
		rng := newRand("console background"+p.name+string(p.must), seed)
		w := newWorld(t, server.Options{})
		count := 1 + rng.IntN(3)
		var questions []question
		for range count {
			questions = append(questions, newQuestion(rng, w.ledger, "console", p.must))
		}
		failpoint := fmt.Sprintf("%s:%d", p.name, 1+rng.IntN(count))

		var first, second screen
		dying, typing := w.openConsole(&first, "PARLEY_FAILPOINT="+failpoint)
		var nonces []string
		for i := range questions {
			nonces = append(nonces, w.digits())
			typeLine(t, typing, questions[i].text+" nq"+nonces[i])
		}
		w.died(dying, failpoint)
		before := first.String()
		questions = w.taken(questions, nonces, p.must)

		p2, typing := w.openConsole(&second)
		began := time.Now()
		for {
			missing := notOnceTold(questions, before, second.String())
			if missing == "" {
				break
			}
			if time.Since(began) > toldWithin {
				t.Fatalf("%s after %v\nfirst screen:\n%s\nsecond screen:\n%s", missing, toldWithin, before, second.String())
			}
			second.next(w.ctx)
		}
		typeLine(t, typing, "hello nqfffffffffff0")
		if err := typing.Close(); err != nil {
			t.Fatal(err)
		}
		if exit := w.exits(p2, 30*time.Second); exit.Code != 0 {
			t.Errorf("the second console ended with code %d", exit.Code)
		}
		w.storeCheck()
		row := tally{channel: "console " + string(p.must), point: p.name, crashes: 1, asks: count}
		after := second.String()
		last := strings.TrimSpace(before[strings.LastIndex(strings.TrimSpace(before), "\n")+1:])
		interrupted := 0
		for i := range questions {
			q := &questions[i]
			for _, token := range append([]string{q.task}, q.once...) {
				if token == "" {
					continue
				}
				n := strings.Count(before, token) + strings.Count(after, token)
				switch {
				case n == 2 && strings.Contains(last, token):
					row.window++ // it was on the screen, and its receipt perhaps not yet stored
				case n > 1:
					row.doubled++
					t.Errorf("%s was told %d times", token, n)
				case n == 0:
					interrupted++
				}
			}
		}
		if n := strings.Count(before, "was interrupted") + strings.Count(after, "was interrupted"); n != interrupted {
			t.Errorf("%d works have no result, and %d were told to be interrupted", interrupted, n)
		}
		if t.Failed() {
			t.Logf("first screen:\n%s\nsecond screen:\n%s", before, after)
			history, err := w.gw.Command(w.ctx, nil, "sessions", "export").Output()
			t.Logf("the history (%v):\n%s", err, history)
		}
		summary.add(row)
	})
}

// taken are the questions that the store has, which are the first ones: no pipe gives a line again
// that was read, and not stored yet.
func (w *world) taken(questions []question, nonces []string, k kind) []question {
	w.t.Helper()
	answered, _ := w.gw.Command(w.ctx, nil, "sessions", "export").Output() // it fails without a conversation
	status, _ := w.gw.Command(w.ctx, nil, "status", "--json").Output()     // its code says that no gateway runs
	var held struct{ Store session.Status }
	if err := json.Unmarshal(status, &held); err != nil {
		w.t.Fatalf("%v: %s", err, status)
	}
	n := held.Store.Waiting
	if k == spawned { // an agent's task waits as a message does
		n = max(0, n-held.Store.OpenTasks)
	}
	for _, nonce := range nonces {
		if bytes.Contains(answered, []byte(nonce)) {
			n++
		}
	}
	return questions[:min(n, len(questions))]
}

// notOnceTold names the task with an end that was not told, or "".
func notOnceTold(questions []question, screens ...string) string {
	all := strings.Join(screens, "\n")
	want, got := 0, strings.Count(all, "was interrupted")
	for i := range questions {
		for _, token := range append([]string{questions[i].task}, questions[i].once...) {
			if token == "" {
				continue
			}
			want++
			if strings.Contains(all, token) {
				got++
			}
		}
	}
	if got < want {
		return fmt.Sprintf("%d of %d were told", got, want)
	}
	return ""
}

// openConsole runs a console with an input that stays open until it is closed.
func (w *world) openConsole(out io.Writer, env ...string) (*rig.Process, *os.File) {
	w.t.Helper()
	r, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = in.Close() })
	p := w.console(r, out, env...)
	if err := r.Close(); err != nil {
		w.t.Fatal(err)
	}
	return p, in
}

func typeLine(t *testing.T, in *os.File, line string) {
	t.Helper()
	if _, err := in.WriteString(line + "\n"); err != nil && !strings.Contains(err.Error(), "broken pipe") {
		t.Fatal(err)
	}
}
