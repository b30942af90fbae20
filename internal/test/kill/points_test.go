package kill_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
	"parley/internal/tools/promises"
)

// point is a place where the gateway dies.
type point struct {
	name string
	// must is a kind of question that surely passes the point.
	must kind
	// perBatch points are passed once for a batch of updates, others in every chat.
	perBatch bool
}

func points() []point {
	return []point{
		{name: "P1", must: plain, perBatch: true}, // received, not stored
		{name: "P2", must: plain, perBatch: true}, // stored, not acknowledged
		{name: "P3", must: plain, perBatch: true}, // acknowledged, turn not started
		{name: "P4", must: plain},                 // turn begun, before the model
		{name: "P5", must: lookup},                // model answered, not recorded
		{name: "P6", must: effect},                // call recorded, not executed
		{name: "P7", must: effect},                // tool running
		{name: "P8", must: effect},                // tool ended, result not recorded
		{name: "P9", must: say},                   // the tool's word to the person queued, not sent
		{name: "P10", must: plain},                // bytes written to the platform, answer not read
		{name: "P11", must: plain},                // answer read, receipt not stored
		{name: "P12", must: long},                 // between two parts
		{name: "P13", must: plain},                // final sent, turn not closed
	}
}

// inRecovery is the point that only a start after a crash passes: the suspects
// are marked, and no turn runs yet. TestCrashesInRecoveryCountAsOne dies there.
const inRecovery = "R1"

// batch is how many updates one poll gives, so that a load takes several.
const batch = 2

func TestKillAtEachPoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	eachSeed(t, points(), func(t *testing.T, p point, seed int) {
		t.Helper()
		rng := newRand(p.name, seed)
		sendDelay := time.Duration(rng.IntN(5)) * time.Millisecond
		w := newWorld(t, server.Options{
			Batch:  batch,
			OnSend: func(int, loopchat.SendRequest) server.Fault { return server.Fault{Hold: sendDelay} },
		})
		killOnce(w, loopchat.Name, p, rng)
	})
}

// eachSeed runs kill for every point, beside the other points, with one seed after the other.
func eachSeed(t *testing.T, points []point, kill func(t *testing.T, p point, seed int)) {
	t.Helper()
	for _, p := range points {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				t.Run(fmt.Sprint(seed), func(t *testing.T) { kill(t, p, seed) })
			}
		})
	}
}

// killOnce runs one load over one death and one clean restart; channel is where.
func killOnce(w *world, channel string, p point, rng *rand.Rand) {
	w.model.Delay(time.Duration(rng.IntN(20)) * time.Millisecond)
	questions := load(rng, w.ledger, p.must)
	hits, early := chatsOf(questions), questions
	if p.perBatch {
		hits, early = 2, questions[:len(questions)/2]
	}
	failpoint := fmt.Sprintf("%s:%d", p.name, 1+rng.IntN(hits))

	first := w.start(failpoint)
	w.push(early...)
	if len(early) < len(questions) {
		// The second poll says that there was a batch; later updates are in another.
		w.diesBefore(first, func() bool { return w.polls() > w.known+1 })
		w.push(questions[len(early):]...)
	}
	w.died(first, failpoint)

	second := w.start("")
	w.answered()
	w.wait("every text that has to come", w.canariesSeen)
	w.wait("the background tasks", w.tasksTold)
	w.polled()
	counted, err := w.gw.Status(w.ctx)
	if err != nil {
		w.t.Error(err)
	}
	w.terminate(second)
	w.storeCheck()

	// Finished work stays finished, and every chat is still served.
	third := w.start("")
	for chat := range chatSet(questions) {
		w.push(newQuestion(rng, w.ledger, chat, plain))
	}
	w.answered()
	w.terminate(third)
	w.storeCheck()

	row := w.check()
	if uint64(row.window) > counted.Ambiguous {
		w.t.Errorf("%d messages came twice in the window, and %d were counted", row.window, counted.Ambiguous)
	}
	row.channel, row.point = channel, p.name
	summary.add(row)
}

func chatSet(questions []question) map[string]bool {
	set := map[string]bool{}
	for i := range questions {
		set[questions[i].chat] = true
	}
	return set
}

func chatsOf(questions []question) int { return len(chatSet(questions)) }
