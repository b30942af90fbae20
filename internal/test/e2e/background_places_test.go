package e2e_test

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// commands lets the owner run one program.
func commands() map[string]any {
	return map[string]any{"shell": map[string]any{"enabled": true, "allow": []string{"echo"}}}
}

// consolePlace is a console with an input that stays open.
type consolePlace struct {
	*world
	mu    sync.Mutex
	shows bytes.Buffer
	in    *os.File
	keys  map[string]string
}

func onConsole(t *testing.T, b brain) place {
	t.Helper()
	tools := commands()
	tools["chats"] = map[string]any{"console:local": map[string]any{"level": "exec"}}
	p := &consolePlace{world: prepare(t, b, rig.Config{Tools: tools}), keys: map[string]string{"Allow once": "y"}}
	p.start()
	t.Cleanup(func() {
		defer func() { _ = p.in.Close() }() // not before the process has ended: it would leave by itself
		defer p.process.Kill()
		if t.Failed() {
			t.Logf("the console:\n%s", p.text())
		}
		p.rest()
		p.finish()
	})
	return p
}

// Write takes the console's output.
func (p *consolePlace) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shows.Write(b)
}

func (p *consolePlace) start() {
	p.t.Helper()
	r, in, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if p.in != nil {
		_ = p.in.Close() // of the process before
	}
	p.in = in
	if p.process, err = p.gw.Start(p.ctx, r, p, []string{"PARLEY_TEST_CHANNEL="}, "chat"); err != nil {
		p.t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *consolePlace) kill() {
	p.process.Signal(syscall.SIGKILL)
	<-p.process.Done()
}

func (p *consolePlace) say(text string) {
	p.t.Helper()
	if _, err := p.in.WriteString(text + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *consolePlace) press(label string) { p.say(p.keys[label]) }

func (p *consolePlace) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shows.String()
}

// messages are the lines: each text of the suite's model has one. The lines of a
// question are joined, as the first of them is followed by those that are indented or
// keys.
func (p *consolePlace) messages() []string {
	var all []string
	for line := range strings.Lines(p.text()) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

func (p *consolePlace) shown(words ...string) int {
	n := 0
	for _, m := range p.messages() {
		if together(m, words) {
			n++
		}
	}
	return n
}

func (p *consolePlace) all() int { return len(p.messages()) }

func (p *consolePlace) until(what string, cond func() bool) {
	p.t.Helper()
	p.looks(what, cond)
}

func (p *consolePlace) under() *world { return p.world }

// telegramPlace is a private chat of the owner.
type telegramPlace struct {
	*telegramWorld
	private *faketelegram.Chat
}

func onTelegram(t *testing.T, b brain) place {
	t.Helper()
	tg := faketelegram.New(t)
	chat := tg.Private(tg.User("Ada"))
	return &telegramPlace{newTelegramWith(t, tg, b, rig.Config{Telegram: &rig.Telegram{Owner: chat.ID()}, Tools: commands()}), chat}
}

func (p *telegramPlace) kill() {
	p.process.Signal(syscall.SIGKILL)
	p.world.kill()
}

func (p *telegramPlace) say(text string) { p.private.Say(text) }

func (p *telegramPlace) press(label string) { p.private.Press(p.asked(p.private).ID, label) }

func (p *telegramPlace) shown(words ...string) int {
	n := 0
	list := p.private.Messages()
	for i := range list {
		text := list[i].Text
		for _, row := range list[i].Buttons {
			for _, b := range row {
				text += "\n" + b.Text
			}
		}
		if !list[i].Deleted && together(text, words) {
			n++
		}
	}
	return n
}

func (p *telegramPlace) all() int { return len(p.private.Texts()) }

func (p *telegramPlace) text() string { return strings.Join(p.private.Texts(), "\n---\n") }

func (p *telegramPlace) until(what string, cond func() bool) {
	p.t.Helper()
	if err := p.tg.Until(p.ctx, cond); err != nil {
		p.t.Fatalf("waiting for %s: %v\n%s", what, err, p.text())
	}
}

func (p *telegramPlace) under() *world { return p.world }

// slackPlace is the direct messages of the owner.
type slackPlace struct {
	*slackWorld
	direct *fakeslack.Chat
}

func onSlack(t *testing.T, b brain) place {
	t.Helper()
	srv := fakeslack.New(t)
	chat := srv.DM(srv.User("Ada"))
	app := slackApp(srv)
	app.Owner, app.OwnerChat = chat.Who().ID, chat.ID()
	return &slackPlace{newSlackWith(t, srv, b, rig.Config{Slack: app, Tools: commands()}), chat}
}

func (p *slackPlace) say(text string) { p.direct.Say(text) }

func (p *slackPlace) press(label string) { p.direct.Press(p.asked(p.direct).TS, label) }

func (p *slackPlace) shown(words ...string) int {
	n := 0
	list := p.direct.Messages()
	for i := range list {
		text := list[i].Text
		for _, b := range list[i].Buttons {
			text += "\n" + b.Text
		}
		if !list[i].Deleted && together(text, words) {
			n++
		}
	}
	return n
}

func (p *slackPlace) all() int { return len(p.direct.Texts()) }

func (p *slackPlace) text() string { return strings.Join(p.direct.Texts(), "\n---\n") }

func (p *slackPlace) until(what string, cond func() bool) {
	p.t.Helper()
	if err := p.srv.Until(p.ctx, cond); err != nil {
		p.t.Fatalf("waiting for %s: %v\n%s", what, err, p.text())
	}
}

func (p *slackPlace) under() *world { return p.world }
