package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/providers"
)

// echoSystem answers with the instructions and the notes of its request.
func echoSystem(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
	return say(msgs[0].Content + "\n" + msgs[len(msgs)-2].Content)
}

// inSpace gives a chat a folder of files.
func inSpace(dir string) option {
	return withOptions(func(o *agent.Options) { o.Files.Space = func(channels.Address, bool) string { return dir } })
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const canary = "canary of another place"

// TestThePromptHasPlainFilesOfTheSpaceAlone puts something else in the place of MEMORY.md.
func TestThePromptHasPlainFilesOfTheSpaceAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(at, outside string) error
		want string
	}{
		"a file":        {func(at, _ string) error { return os.WriteFile(at, []byte("remembered"), 0o600) }, "# MEMORY.md\nremembered"},
		"a link":        {func(at, outside string) error { return os.Symlink(outside, at) }, ""},
		"a second name": {func(at, outside string) error { return os.Link(outside, at) }, ""},
		"a pipe":        {func(at, _ string) error { return syscall.Mkfifo(at, 0o600) }, ""},
		"a folder":      {func(at, _ string) error { return os.Mkdir(at, 0o700) }, ""},
		"nothing":       {func(string, string) error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			space := filepath.Join(dir, "space")
			if err := os.Mkdir(space, 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, dir, "outside", canary)
			put(t, space, "USER.md", "the user")
			if err := c.make(filepath.Join(space, "MEMORY.md"), filepath.Join(dir, "outside")); err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, script(echoSystem), nil, inSpace(space))
			w.write("1", "1", "hello")
			got := w.expect().Text
			if strings.Contains(got, canary) || !strings.Contains(got, c.want) || !strings.Contains(got, "# USER.md\nthe user") {
				t.Errorf("the prompt is %q", got)
			}
			w.settled()
		})
	}
}

// TestThePromptIsSafeFromASwap has a process of the chat put a link and a pipe in the
// place of its files, as fast as it can.
func TestThePromptIsSafeFromASwap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	space := filepath.Join(dir, "space")
	if err := os.Mkdir(space, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "outside", canary)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for _, name := range []string{"USER.md", "MEMORY.md"} {
		at := filepath.Join(space, name)
		put(t, space, name, "remembered")
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				next := at + ".next"
				switch i % 4 {
				case 0:
					_ = os.Symlink(filepath.Join(dir, "outside"), next)
				case 2:
					_ = syscall.Mkfifo(next, 0o600)
				default:
					_ = os.WriteFile(next, []byte("remembered"), 0o600)
				}
				_ = os.Rename(next, at)
			}
		})
	}
	defer wg.Wait()
	defer stop.Store(true)
	w := newWorld(t, script(echoSystem), nil, inSpace(space))
	for range 150 {
		w.write("1", "1", "hello")
		if got := w.expect().Text; strings.Contains(got, canary) {
			t.Fatalf("the prompt is %q", got)
		}
	}
	w.settled()
}

// TestTheSummaryReadsTheChatsFiles and no file of the process's own folder.
func TestTheSummaryReadsTheChatsFiles(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	put(t, space, "MEMORY.md", "remembered")
	w := newWorld(t, script(echoSystem), nil, inSpace(space))
	w.write("1", "1", "hello")
	w.expect()
	w.write("1", "1", "/compact")
	if got := w.expect().Text; !strings.Contains(got, "# MEMORY.md\nremembered") {
		t.Errorf("the request for the summary begins with %q", got)
	}
	w.settled()
}

// TestATurnThatDoesNotGetToAskingIsNamedAndStops has a disk that does not answer.
func TestATurnThatDoesNotGetToAskingIsNamedAndStops(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	reading, answer := make(chan struct{}), make(chan struct{})
	w := newWorld(t, script(echoSystem), nil, withOptions(func(o *agent.Options) {
		o.Files.Space = func(a channels.Address, _ bool) string { return "/nowhere/" + a.Chat }
		o.Files.AgentFile = func() string {
			if reads.Add(1) == 1 {
				close(reading)
				<-answer
			}
			return "the rules"
		}
	}))
	release := sync.OnceFunc(func() { close(answer) })
	defer release()
	w.write("1", "1", "hello")
	<-reading
	slow := w.agent.Turns().Slow(0)
	if len(slow) != 1 || slow[0].Address != chatAddr("1") || slow[0].Stage != "reads the instructions and the chat's files" {
		t.Errorf("slow turns: %+v", slow)
	}
	if early := w.agent.Turns().Slow(time.Hour); len(early) != 0 {
		t.Errorf("slow for an hour: %+v", early)
	}
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.write("2", "1", "hello")
	if got := w.expect().Text; !strings.HasPrefix(got, "the rules") {
		t.Errorf("another chat was told %q", got)
	}
	w.settled()
	w.write("1", "1", "again") // waits for the reading that has not come back, and no second one is begun
	release()
	if got := w.expect().Text; !strings.HasPrefix(got, "the rules") {
		t.Errorf("the chat was told %q then", got)
	}
	w.settled()
	if n := reads.Load(); n != 3 {
		t.Errorf("the instructions were read %d times", n)
	}
	if slow := w.agent.Turns().Slow(0); len(slow) != 0 {
		t.Errorf("slow turns at the end: %+v", slow)
	}
}

// TestATurnThatWaitsForAPlaceStops, while another chat keeps the only place.
func TestATurnThatWaitsForAPlaceStops(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if last(msgs).Content == "long" {
			return hang(ctx, asked)
		}
		return say("answered")
	}), nil, withOptions(func(o *agent.Options) { o.Limits.Turns = 1 }))
	w.write("1", "1", "long")
	<-asked
	w.write("2", "1", "hello")
	w.write("2", "1", "/stop")
	if o := w.expect(); o.Address.Chat != "2" || o.Text != "Stopped." {
		t.Errorf("chat %s was told %q", o.Address.Chat, o.Text)
	}
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
}
