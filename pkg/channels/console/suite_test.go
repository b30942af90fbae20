package console_test

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/pkg/channels"
	"parley/pkg/channels/channelstest"
	"parley/pkg/channels/console"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestConsolePassesTheSuite runs it over real pipes, piped and interactive.
func TestConsolePassesTheSuite(t *testing.T) {
	t.Parallel()
	for name, interactive := range map[string]bool{"piped": false, "interactive": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			channelstest.Run(t, func(t *testing.T) *channelstest.Rig {
				t.Helper()
				return rig(t, interactive)
			})
		})
	}
}

// rig is a person at a console: each channel has a pipe of its own, all write to one screen.
func rig(t *testing.T, interactive bool) *channelstest.Rig {
	t.Helper()
	out := &screen{}
	var in *os.File
	return &channelstest.Rig{
		New: func() channels.Channel {
			r, w := pipe(t)
			in = w
			return console.New(console.Options{In: r, Out: out, Interactive: interactive, Prompt: prompt})
		},
		Chats: []channels.Address{{Channel: console.Name, Chat: "local"}},
		Say: func(_ channels.Address, text string) {
			if _, err := in.WriteString(text + "\n"); err != nil {
				t.Errorf("type: %v", err)
			}
		},
		Seen: func(channels.Address) []string { return out.lines() },
		Press: func(_ channels.Address, label string) bool {
			_, err := in.WriteString(label + "\n")
			return err == nil
		},
		Stall: out.stall,
		Shows: console.Sanitize,
	}
}

const prompt = "(prompt)"

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Close()
		_ = r.Close()
	})
	return r, w
}

// screen is a terminal that can be stopped, as by Ctrl-S.
type screen struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	gate sync.Mutex
}

func (s *screen) Write(p []byte) (int, error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) stall() (resume func()) {
	s.gate.Lock()
	return s.gate.Unlock
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// lines are the person's view without prompts.
func (s *screen) lines() []string {
	text := strings.NewReplacer("\r\x1b[K", "", prompt, "").Replace(s.String())
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
