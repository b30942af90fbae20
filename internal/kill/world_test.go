package kill_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/loopchat/server"
	"parley/internal/rig"
)

// runTime bounds one run, restarts included.
const runTime = 90 * time.Second

// world is one gateway's state with the platform and the model around it.
type world struct {
	t       *testing.T
	ctx     context.Context
	chat    *server.Server
	model   *model
	gw      *rig.Gateway
	effects string

	questions []question
	asks      []*server.Ask
	// polls is how many polls there were when the newest process was started.
	polls int
	// crashes are the numbers of messages that the platform had when the gateway died.
	crashes []int
}

func newWorld(t *testing.T, opt server.Options) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	t.Cleanup(cancel)
	if opt.MaxPoll == 0 {
		opt.MaxPoll = 200 * time.Millisecond
	}
	chat, err := server.New(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chat.Close() })
	dir := t.TempDir()
	w := &world{
		t: t, ctx: ctx, chat: chat, model: newModel(t),
		effects: filepath.Join(dir, "effects"),
	}
	w.gw, err = rig.NewGateway(gateway, dir, rig.Config{ModelURL: w.model.url},
		"PARLEY_TEST_CHANNEL="+chat.URL, "PARLEY_TEST_EFFECTS="+w.effects)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			w.showLog()
		}
	})
	return w
}

func (w *world) showLog() {
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil {
		w.t.Log(err)
		return
	}
	w.t.Logf("gateway's log, the end:\n%s", log[max(0, len(log)-6000):])
	for _, m := range w.chat.Messages("") {
		w.t.Logf("%s %s: %.200s", m.Time.Format("05.000"), m.Chat, m.Text)
	}
}

// start runs the gateway; failpoint is NAME:HIT or empty. It does not wait.
func (w *world) start(failpoint string) *rig.Process {
	w.t.Helper()
	var env []string
	if failpoint != "" {
		env = append(env, "PARLEY_FAILPOINT="+failpoint)
	}
	w.polls = w.chat.Report().Polls
	p, err := w.gw.Start(w.ctx, nil, nil, env, "run")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(p.Kill)
	return p
}

func (w *world) until(what string, cond func() bool) {
	w.t.Helper()
	if err := w.chat.Until(w.ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

func (w *world) push(questions ...question) {
	qs := make([]server.Question, len(questions))
	for i := range questions {
		qs[i] = questions[i].Question
	}
	w.questions = append(w.questions, questions...)
	w.asks = append(w.asks, w.chat.AskAll(qs)...)
}

// died waits for the process's death by SIGKILL and notes how far the platform was.
func (w *world) died(p *rig.Process, why string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 30*time.Second)
	defer cancel()
	exit, err := p.Wait(ctx)
	if err != nil {
		w.t.Fatalf("%s was never reached: %v", why, err)
	}
	if !exit.Killed {
		w.t.Fatalf("%s: the gateway ended by itself: %s", why, exit.How)
	}
	w.crashed()
}

// crashed notes how many messages the platform has of a process that has ended,
// once it has read everything that the process wrote.
func (w *world) crashed() {
	w.t.Helper()
	w.until("the end of all connections", func() bool { return w.chat.Connections() == 0 })
	w.crashes = append(w.crashes, w.chat.Report().Messages)
}

func (w *world) answered(asks ...*server.Ask) {
	w.t.Helper()
	if err := server.WaitAnswered(w.ctx, asks...); err != nil {
		w.t.Fatal(err)
	}
}

// polled waits until the newest process is all there.
func (w *world) polled() {
	w.t.Helper()
	w.until("a poll", func() bool { return w.chat.Report().Polls > w.polls })
}

// terminate ends the gateway with SIGTERM, once it is there, which it must obey with code 0.
func (w *world) terminate(p *rig.Process) {
	w.t.Helper()
	w.polled()
	p.Signal(syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(w.ctx, 30*time.Second)
	defer cancel()
	exit, err := p.Wait(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	if exit.Code != 0 {
		w.t.Fatalf("%s after SIGTERM", exit.How)
	}
}

// storeCheck runs the invariant checker over the state of a stopped gateway.
func (w *world) storeCheck() {
	w.t.Helper()
	out, err := w.gw.Command(w.ctx, nil, "store", "check").CombinedOutput()
	if err != nil {
		w.t.Errorf("store check: %v\n%s", err, out)
	}
}

// interrupted counts what tells a chat that background work was lost.
func (w *world) interrupted(chat string) int {
	n := 0
	for _, m := range w.chat.Messages(chat) {
		if isInterrupted(m.Text) {
			n++
		}
	}
	return n
}

func isInterrupted(text string) bool {
	return strings.HasPrefix(text, "The background task ") && strings.Contains(text, "interrupted")
}
