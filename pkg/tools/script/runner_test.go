package script_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/pkg/sandbox"
)

// canary is in the environment of this process, and must be in no program's.
const canary = "canary-of-the-gateway"

func TestMain(m *testing.M) {
	if err := os.Setenv("SECRET_TOKEN", canary); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// bare runs programs for real, and without a sandbox.
type bare struct {
	path        string // programs found before the system's
	unavailable error

	mu   sync.Mutex
	seen []sandbox.Command
}

func (b *bare) Available() error { return b.unavailable }

// Run implements [sandbox.Runner].
func (b *bare) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	b.mu.Lock()
	b.seen = append(b.seen, c)
	b.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, c.Path, c.Args...)
	cmd.Dir, cmd.Stdin = c.Dir, c.Stdin
	cmd.Env = append([]string{"PATH=" + b.path + ":/usr/bin:/bin", "HOME=" + c.Dir, "LANG=C.UTF-8"}, c.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, errs := &kept{most: c.MaxOutput}, &kept{most: c.MaxOutput}
	read, write := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(read)
		for lines.Scan() {
			c.Line(lines.Text())
		}
		_, _ = io.Copy(io.Discard, read)
	}()
	cmd.Stdout, cmd.Stderr = out, io.MultiWriter(errs, write)
	start := time.Now()
	err := cmd.Run()
	_ = write.Close()
	<-done
	if ctx.Err() != nil {
		return sandbox.Result{}, ctx.Err()
	}
	res := sandbox.Result{
		Stdout: out.all(), Stderr: errs.all(), Duration: time.Since(start),
		Truncated: out.cut || errs.cut, TimedOut: limited.Err() != nil,
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		res.ExitCode = exit.ExitCode()
	} else if err != nil && !res.TimedOut {
		return sandbox.Result{}, err
	}
	return res, nil
}

func (b *bare) last(t *testing.T) sandbox.Command {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.seen) == 0 {
		t.Fatal("nothing was run")
	}
	return b.seen[len(b.seen)-1]
}

func (b *bare) runs() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.seen)
}

// kept is the head and the tail of an output.
type kept struct {
	head, tail []byte
	most       int
	cut        bool
}

func (k *kept) Write(p []byte) (int, error) {
	n := len(p)
	half := k.most / 2
	take := min(len(p), max(0, half-len(k.head)))
	k.head, p = append(k.head, p[:take]...), p[take:]
	k.tail = append(k.tail, p...)
	if over := len(k.tail) - half; over > 0 {
		k.tail, k.cut = k.tail[over:], true
	}
	return n, nil
}

func (k *kept) all() []byte { return []byte(string(k.head) + string(k.tail)) }

// TestKept holds the runner of these tests to the rules of sandbox.Command for
// outputs.
func TestKept(t *testing.T) {
	t.Parallel()
	k := &kept{most: 8}
	for _, s := range []string{"abcdef", strings.Repeat("x", 100), "yz12"} {
		if n, err := k.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := string(k.all()); got != "abcdyz12" || !k.cut {
		t.Errorf("%q", got)
	}
}
