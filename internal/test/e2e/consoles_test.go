package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
	"parley/internal/test/rig"
)

// consoleScreen keeps the output of a console, and says when it has some.
type consoleScreen struct {
	mu    sync.Mutex
	text  bytes.Buffer
	first chan struct{} // closed at the first output
}

func newConsoleScreen() *consoleScreen { return &consoleScreen{first: make(chan struct{})} }

// Write implements [io.Writer].
func (s *consoleScreen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text.Len() == 0 && len(p) > 0 {
		close(s.first)
	}
	return s.text.Write(p)
}

// lines are those of the output.
func (s *consoleScreen) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSpace(s.text.String()), "\n")
}

// visitor is a person who attaches a console to a conversation again and again.
type visitor struct {
	w    *world
	name string
	// heard counts the answers on all of the visitor's screens.
	heard map[string]int
}

// visits pipes lines into a console. With dies, that is killed at its first answer.
func (v *visitor) visits(dies bool, lines ...string) { //nolint:revive // flag-parameter: the visitor knows whether it dies
	v.w.t.Helper()
	var input io.Reader = strings.NewReader(strings.Join(lines, "\n") + "\n")
	screen := newConsoleScreen()
	process, err := v.w.gw.Start(v.w.ctx, input, screen, nil, "chat", "--session", v.name)
	if err != nil {
		v.w.t.Error(err)
		return
	}
	defer process.Kill()
	if dies {
		select {
		case <-screen.first:
		case <-process.Done():
		}
		process.Kill()
	} else if exit, err := process.Wait(v.w.ctx); err != nil || exit.Code != 0 {
		v.w.t.Errorf("console %s: %+v, %v", v.name, exit, err)
	}
	for _, line := range screen.lines() {
		v.heard[strings.TrimPrefix(line, heardMark)]++
	}
}

// TestConsolesThatComeAndGoBesideABurst: fifty conversations at consoles, of which some die, beside
// bursts on Telegram and Slack. Each message of each has its answer, once and in order; a console that
// dies may show the answer again at which it died.
func TestConsolesThatComeAndGoBesideABurst(t *testing.T) {
	t.Parallel()
	const consoles, people, burst = 50, 20, 10
	tg, slack := faketelegram.New(t), fakeslack.New(t)
	w := prepareTelegram(t, tg, echoes, rig.Config{
		Telegram: &rig.Telegram{APIURL: tg.URL(), Token: tg.Token()}, Slack: slackApp(slack),
	})
	w.run()
	w.await("the first poll", func() bool { return len(tg.Requests("getUpdates")) > 0 })
	team := &platformWorld[string, fakeslack.Message, *fakeslack.Chat]{world: w.world, platform: slack, chats: map[*fakeslack.Chat][]string{}}
	team.await("a socket", func() bool { return slack.Sockets() > 0 })

	visitors := make([]*visitor, consoles)
	var visiting sync.WaitGroup
	for i := range visitors {
		v := &visitor{w: w.world, name: fmt.Sprint("c", i), heard: map[string]int{}}
		visitors[i] = v
		visiting.Go(func() {
			v.visits(i%5 == 0, "one of "+v.name, "two of "+v.name)
			v.visits(false, "three of "+v.name)
			v.visits(false, "four of "+v.name)
		})
	}
	texts := make([]string, burst)
	for i := range texts {
		texts[i] = fmt.Sprint("message ", i)
	}
	var chats []*faketelegram.Chat
	var direct []*fakeslack.Chat
	for range people {
		chats = append(chats, tg.Private(tg.User("Ada")))
		chats[len(chats)-1].SayAll(texts...)
		direct = append(direct, slack.DM(slack.User("Bea")))
		for _, text := range texts {
			direct[len(direct)-1].Say(text)
		}
	}
	for _, chat := range chats {
		w.hears(chat, texts...)
	}
	for _, chat := range direct {
		team.hears(chat, texts...)
	}
	visiting.Wait()
	for i, v := range visitors {
		for _, line := range []string{"one of ", "two of ", "three of ", "four of "} {
			n := v.heard[line+v.name]
			least, most := 1, 1
			if i%5 == 0 { // it died at the first answer, and the second line may not have been sent
				switch line {
				case "one of ":
					most = 2
				case "two of ":
					least, most = 0, 2
				}
			}
			if n < least || n > most {
				t.Errorf("console %s heard %q %d times", v.name, line, n)
			}
		}
	}
}
