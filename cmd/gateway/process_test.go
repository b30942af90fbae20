package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSecondInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	first := w.start("chat")
	first.ready()

	const refusal = 10 * time.Second // two are promised; this machine may be busy
	began := time.Now()
	_, stderr, code := w.run("run")
	if took := time.Since(began); code != 3 || took > refusal {
		t.Errorf("the second instance ended with %d after %s", code, took)
	}
	if !strings.Contains(stderr, "another instance uses this state directory") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("the second instance says %q", stderr)
	}

	if out, _, code := w.run("status"); code != 0 || !strings.Contains(out, fmt.Sprintf("runs as process %d ", first.cmd.Process.Pid)) {
		t.Errorf("status: %d %s", code, out)
	}
	if out, _, code := w.run("tool", "call", "calculator", `{"expression": "17*23"}`); code != 0 || !strings.Contains(out, "391") {
		t.Errorf("tool call: %d %s", code, out)
	}
	for _, tt := range []struct {
		args []string
		code int
	}{ // the exit codes are those of a command that does it by itself
		{[]string{"pair", "approve", "0"}, 2},
		{[]string{"pair", "revoke", "ann"}, 2},
		{[]string{"tool", "call", "calculator", "[1]"}, 2},
		{[]string{"jobs", "show", "x"}, 1},
	} {
		if out, stderr, code := w.run(tt.args...); code != tt.code || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q ends with %d, not %d: %s%s", tt.args, code, tt.code, out, stderr)
		}
	}
	first.say("what is 6*7?")
	if got := first.line(); !strings.Contains(got, "42") {
		t.Errorf("the first instance answers %q", got)
	}
	if out, _, code := w.run("sessions", "list"); code != 0 || !strings.Contains(out, "console:local") {
		t.Errorf("sessions list: %d %s", code, out)
	}
	if _, stderr, code := w.run("sessions", "show", "telegram:5"); code != 1 ||
		!strings.Contains(stderr, "there is no conversation telegram:5") {
		t.Errorf("sessions show: %d %s", code, stderr)
	}
	_ = first.in.Close()
	if code := first.end(); code != 0 {
		t.Errorf("the first instance ended with %d", code)
	}
	if _, err := os.Stat(w.socket()); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

func TestAdminSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("chat")
	g.ready()
	info, err := os.Stat(w.socket())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket's mode is %v, %v", info.Mode(), err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", w.socket())
	}}}
	post := func(request io.Reader) (code int, answer string) {
		resp, err := client.Post("http://gateway/operations", "application/json", request)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		got, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(got)
	}
	for request, want := range map[string]string{
		`{"protocol": 99, "op": "status"}`: "speaks admin protocol 3, this command 99",
		`{"protocol": 3, "op": "dance"}`:   `does not know \"dance\"`,
		`{"protocol": 3, "op": "status"}`:  `"pid":`,
	} {
		if _, got := post(strings.NewReader(request)); !strings.Contains(got, want) {
			t.Errorf("%s gives %s", request, got)
		}
	}

	// A request without end is cut off, and the gateway goes on.
	endless := `{"protocol": 3, "op": "status", "args": {"session": "` + strings.Repeat("x", 2<<20)
	if code, got := post(strings.NewReader(endless)); code == http.StatusOK || strings.Contains(got, `"pid":`) {
		t.Errorf("an endless request gives %d %s", code, got)
	}
	conn, err := net.Dial("unix", w.socket())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write(bytes.Repeat([]byte("x"), 2<<20))
	if got, _ := io.ReadAll(conn); strings.Contains(string(got), "200 OK") {
		t.Errorf("a header without end gives %s", got)
	}

	// A killed gateway leaves its socket; the next one takes it over.
	_ = g.cmd.Process.Kill()
	g.end()
	if out, _, code := w.run("status"); code != 4 || !strings.Contains(out, "no gateway is running") {
		t.Errorf("status after a kill: %d %s", code, out)
	}
	next := w.start("chat")
	next.ready()
	_ = next.in.Close()
	if code := next.end(); code != 0 {
		t.Errorf("the next one ended with %d", code)
	}
}

func TestLongStatePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	state := filepath.Join(w.dir, strings.Repeat("long/", 30), "state")
	text := fmt.Sprintf("state_dir: %q\nmodels: {main: {provider: offline}}\n", state)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := w.start("chat")
	g.say("what is 6*7?")
	if got := g.line(); !strings.Contains(got, "42") {
		t.Errorf("answer %q", got)
	}
	if out, stderr, code := w.run("status"); code != 0 || !strings.Contains(out, "runs as process") {
		t.Errorf("status: %d %s %s", code, out, stderr)
	}
	_ = g.in.Close()
	if code := g.end(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// TestTerminateFinishesTheTurn: SIGTERM lets a turn under way finish, and its
// answer leaves before the process does.
func TestTerminateFinishesTheTurn(t *testing.T) {
	t.Parallel()
	model := newGate(t, "finished in time")
	w := newWorld(t, model.URL)
	g := w.start("chat")
	g.say("hello")
	model.wait(t)
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	model.open()
	if got := g.line(); got != "finished in time" {
		t.Errorf("answer %q", got)
	}
	if code := g.end(); code != 0 {
		t.Errorf("ended with %d: %s", code, g.errs)
	}
}

// TestStopBySignal: a second signal ends the process at once; the interrupted messages
// are answered by the next start, once.
func TestStopBySignal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		signals []syscall.Signal
		code    int
	}{
		{"interrupt", []syscall.Signal{syscall.SIGINT}, 130},
		{"terminate", []syscall.Signal{syscall.SIGTERM}, 0},
		{"hang up", []syscall.Signal{syscall.SIGHUP}, 0},
		{"terminate twice", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}, 143},
		{"interrupt twice", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 130},
		{"kill", []syscall.Signal{syscall.SIGKILL}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := newGate(t, "answered by the next start")
			w := newWorld(t, model.URL)
			g := w.start("chat", "--log", "info")
			g.say("hello")
			model.wait(t)
			for i, s := range tt.signals {
				if i > 0 {
					g.errs.wait(t, "stopping") // the kernel merges signals that wait
				}
				_ = g.cmd.Process.Signal(s) // it may have ended already
			}
			if code := g.end(); code != tt.code {
				t.Errorf("ended with %d: %s", code, g.errs)
			}
			if strings.Contains(g.errs.String(), "goroutine") {
				t.Errorf("a stack trace: %s", g.errs)
			}
			model.open()
			next := w.start("chat")
			if got := next.line(); got != "answered by the next start" {
				t.Errorf("the next start prints %q", got)
			}
			_ = next.in.Close()
			if code := next.end(); code != 0 {
				t.Errorf("the next start ended with %d: %s", code, next.errs)
			}
			var st struct {
				Store struct{ Waiting, Sending int }
			}
			out, _, _ := w.run("status", "--json")
			if err := json.Unmarshal([]byte(out), &st); err != nil || st.Store.Waiting != 0 || st.Store.Sending != 0 {
				t.Errorf("status %s: %v", out, err)
			}
			if out, _, _ := w.run("sessions", "export"); strings.Count(out, `"role":"user"`) != 1 {
				t.Errorf("the message was consumed more than once: %s", out)
			}
		})
	}
}

// TestClosedOutput: the reader is gone, and the gateway ends by itself.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gateway", "chat", "--config", w.config)
	cmd.Dir, cmd.Stdin, cmd.Stdout = w.dir, strings.NewReader("hello\n"), out
	err = cmd.Run()
	_ = out.Close()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("ended with %d: %v", code, err)
	}
}
