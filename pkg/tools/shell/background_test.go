package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/pkg/tools"
	"parley/pkg/tools/shell"
)

// background runs a script in the background of a chat and returns its cancel
// function and its future end.
func background(t *testing.T, o shell.Options, space, script string) (cancel func(), ended <-chan *tools.ToolResult) {
	t.Helper()
	o.Runner, o.Shell = realBox(t), true
	tool, _ := shell.New(o)
	ctx, cancel := context.WithCancel(in(t, space))
	t.Cleanup(cancel)
	end := make(chan *tools.ToolResult, 1)
	value := tool.(tools.Cloner).Clone().(tools.AsyncTool)
	value.SetCallback(func(_ context.Context, res *tools.ToolResult) { end <- res })
	if res := value.Execute(ctx, map[string]any{"script": script, "background": true}); !res.Async {
		t.Fatalf("%+v", res)
	}
	return cancel, end
}

func TestACommandInTheBackgroundTellsItsEnd(t *testing.T) {
	t.Parallel()
	_, ended := background(t, shell.Options{}, t.TempDir(), "echo begun; echo no >&2; exit 3")
	res := <-ended
	if res.IsError || res.ForUser != "" || !strings.Contains(res.ForLLM, `"exit_code":3`) || !strings.Contains(res.ForLLM, `begun\n`) {
		t.Errorf("%+v", res)
	}
}

func TestACommandInTheBackgroundHasItsOwnLimit(t *testing.T) {
	t.Parallel()
	_, ended := background(t, shell.Options{Timeout: time.Hour, MaxTimeout: time.Hour, BackgroundLimit: time.Second}, t.TempDir(), "sleep 60")
	if res := <-ended; !res.IsError || !strings.Contains(res.ForLLM, "timeout") {
		t.Errorf("%+v", res)
	}
	tool, _ := shell.New(shell.Options{Runner: &recorder{}, Shell: true, MaxTimeout: time.Minute, BackgroundLimit: time.Hour})
	for seconds, fits := range map[int]bool{3600: true, 3601: false} {
		_, err := examine(t, tool, t.TempDir(), map[string]any{"script": "x", "background": true, "timeout_s": seconds})
		if (err == nil) != fits {
			t.Errorf("%d s: %v", seconds, err)
		}
	}
}

func TestACancelledCommandLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	name := filepath.Join(space, "alive")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	cancel, ended := background(t, shell.Options{}, space, "exec 3>alive; setsid sh -c 'echo begun >&3; sleep 600' & sleep 600")
	f, err := os.Open(name) // until somebody writes
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line := make([]byte, len("begun\n"))
	if n, err := f.Read(line); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	cancel()
	if err := f.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Read(line); n != 0 || err == nil || os.IsTimeout(err) {
		t.Errorf("something of it still lives: %d, %v", n, err)
	}
	select {
	case res := <-ended:
		t.Errorf("its end was told: %+v", res)
	default:
	}
}

func TestACommandInTheBackgroundIsAskedForLikeAnyOther(t *testing.T) {
	t.Parallel()
	space := t.TempDir()
	tool, _ := shell.New(shell.Options{Runner: &recorder{}, Allow: []string{"ls", "rm"}})
	for _, words := range [][]string{{"ls"}, {"rm", "x"}} {
		front, err := examine(t, tool, space, argv(words...))
		back, err2 := examine(t, tool, space, with(argv(words...), "background", true))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if !front.Foreground || back.Foreground || front.Always != back.Always || !back.Destructive || front.State == back.State ||
			!strings.Contains(back.Text, "in the background") {
			t.Errorf("%q: in front %+v, behind %+v", words, front, back)
		}
	}
	if res := tool.Execute(in(t, space), with(argv("ls"), "background", true)); !res.IsError {
		t.Errorf("with nobody to tell: %+v", res)
	}
}
