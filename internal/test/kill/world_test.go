package kill_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/loopchat/server"
	"parley/internal/test/rig"
)

// runTime bounds one run, restarts included.
const runTime = 90 * time.Second

// world is one gateway's state with the platform and the model around it.
type world struct {
	*ledger
	platform

	t       *testing.T
	ctx     context.Context
	chat    *server.Server // of the test channel, where that is the platform
	model   *model
	gw      *rig.Gateway
	effects string

	// known is how many polls there were when the newest process was started.
	known int
	// crashes are the numbers of messages that the platform had when the gateway died.
	crashes []int
}

// newWorld is a world with the test channel.
func newWorld(t *testing.T, opt server.Options) *world {
	t.Helper()
	w := emptyWorld(t)
	if opt.MaxPoll == 0 {
		opt.MaxPoll = 200 * time.Millisecond
	}
	chat, err := server.New(w.ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chat.Close() })
	w.chat, w.platform = chat, onLoop{chat}
	w.connect(rig.Config{}, "PARLEY_TEST_CHANNEL="+chat.URL)
	return w
}

// emptyWorld lacks a platform and a gateway that knows it.
func emptyWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	t.Cleanup(cancel)
	return &world{ledger: newLedger(), t: t, ctx: ctx, model: newModel(t)}
}

// connect makes the gateway.
func (w *world) connect(c rig.Config, env ...string) {
	w.t.Helper()
	dir := w.t.TempDir()
	w.effects = filepath.Join(dir, "effects")
	c.ModelURL = w.model.url
	bin, err := gateway.Path()
	if err != nil {
		w.t.Fatal(err)
	}
	if w.gw, err = rig.NewGateway(bin, dir, c, append(env, "PARLEY_TEST_EFFECTS="+w.effects)...); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.showLog()
		}
	})
}

func (w *world) showLog() {
	log, err := os.ReadFile(w.gw.LogPath())
	if err != nil {
		w.t.Log(err)
		return
	}
	w.t.Logf("gateway's log, the end:\n%s", log[max(0, len(log)-6000):])
	for _, m := range w.messages() {
		w.t.Logf("%s: %.200s", m.chat, m.text)
	}
}

// start runs the gateway; failpoint is NAME:HIT or empty. It does not wait.
func (w *world) start(failpoint string) *rig.Process {
	w.t.Helper()
	var env []string
	if failpoint != "" {
		env = append(env, "PARLEY_FAILPOINT="+failpoint)
	}
	w.known = w.polls()
	p, err := w.gw.Start(w.ctx, nil, nil, env, "run")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(p.Kill)
	return p
}

func (w *world) wait(what string, cond func() bool) {
	w.t.Helper()
	if err := w.until(w.ctx, cond); err != nil {
		w.t.Fatalf("waiting for %s: %v", what, err)
	}
}

func (w *world) push(questions ...question) {
	asks := make([]*ask, len(questions))
	for i := range questions {
		asks[i] = w.enter(questions[i])
	}
	w.post(asks)
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
	if err := w.drained(w.ctx); err != nil {
		w.t.Fatalf("waiting for the end of all connections: %v", err)
	}
	w.crashes = append(w.crashes, len(w.messages()))
}

// answered waits until every ask has an answer.
func (w *world) answered() {
	w.t.Helper()
	w.wait(fmt.Sprintf("the answers to %d asks", len(w.asks)), w.allAnswered)
}

func (w *world) allAnswered() bool { return len(w.read(w.messages()).answered) == len(w.asks) }

// diesBefore waits for the process's death or for cond, and reports whether it died.
func (w *world) diesBefore(p *rig.Process, cond func() bool) bool {
	w.t.Helper()
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.Done():
			cancel(fmt.Errorf("process %d ended", p.Pid))
		case <-ctx.Done():
		}
	}()
	err := w.until(ctx, cond)
	if w.ctx.Err() != nil {
		w.t.Fatal("neither died nor went on")
	}
	return err != nil
}

// polled waits until the newest process is all there.
func (w *world) polled() {
	w.t.Helper()
	w.wait("a poll", func() bool { return w.polls() > w.known })
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

// interrupted counts the messages that tell a chat that background work was lost.
func (w *world) interrupted(chat string) int {
	n := 0
	for _, m := range w.messages() {
		if m.chat == chat && isInterrupted(m.text) {
			n++
		}
	}
	return n
}

func isInterrupted(text string) bool {
	return strings.HasPrefix(text, "Task ") && strings.Contains(text, "interrupted")
}
