package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// world is a configuration and the environment that the processes of one test share.
type world struct {
	t      *testing.T
	dir    string
	config string
}

// newWorld writes a configuration whose model is at url; "" is the offline model.
func newWorld(t *testing.T, url string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.config = filepath.Join(w.dir, "parley.yaml")
	w.configure(url)
	return w
}

func (w *world) configure(url string) {
	w.t.Helper()
	model := "{provider: offline}"
	if url != "" {
		model = fmt.Sprintf("{model: m, base_url: %q}", url+"/v1")
	}
	text := "state_dir: state\nmodels: {main: " + model + "}\n"
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// command prepares a gateway that dies with the test.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.t.Context(), "gateway", append(args, "--config", w.config)...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "HOME="+w.dir, "OLLAMA_HOST=127.0.0.1:1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = patience
	return cmd
}

// run runs a command to its end.
func (w *world) run(args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	cmd := w.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the code says how it ended
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// gateway is a running chat whose input stays open.
type gateway struct {
	w     *world
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	errs  *record
}

// record keeps what a process writes, and can be waited for.
type record struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	r.text.Write(p)
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *record) wait(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(r.String(), text) {
		select {
		case <-r.changed:
		case <-deadline:
			t.Fatalf("%q was not written: %s", text, r)
		}
	}
}

func (w *world) start(args ...string) *gateway {
	w.t.Helper()
	g := &gateway{w: w, cmd: w.command(args...), lines: make(chan string, 100), errs: &record{changed: make(chan struct{}, 1)}}
	g.cmd.Stderr = g.errs
	var err error
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(g.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			g.lines <- s.Text()
		}
	}()
	return g
}

func (g *gateway) say(text string) {
	g.w.t.Helper()
	if _, err := io.WriteString(g.in, text+"\n"); err != nil {
		g.w.t.Fatal(err)
	}
}

// line is the next line of the gateway's output.
func (g *gateway) line() string {
	g.w.t.Helper()
	select {
	case s, ok := <-g.lines:
		if !ok {
			g.w.t.Fatal("the output ended")
		}
		return s
	case <-time.After(patience):
		g.w.t.Fatal("nothing was printed")
	}
	return ""
}

// end waits for the process's end and returns its exit code; -1 is a signal's.
func (g *gateway) end() int {
	g.w.t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range g.lines { // Wait must not close the pipe under the reader
			continue
		}
		_ = g.cmd.Wait() // the code says how it ended
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		g.w.t.Fatal("the gateway did not end")
	}
	return g.cmd.ProcessState.ExitCode()
}

// ready waits until the gateway answers on its socket.
func (g *gateway) ready() {
	g.w.t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := net.Dial("unix", g.w.socket())
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			g.w.t.Fatalf("never ready: %v", err)
		}
	}
}

func (w *world) socket() string { return filepath.Join(w.dir, "state", "admin.sock") }

// gate is a model server that answers when it is told to.
type gate struct {
	*httptest.Server

	asked  chan struct{}
	answer chan struct{}
	once   sync.Once
}

func newGate(t *testing.T, text string) *gate {
	t.Helper()
	g := &gate{asked: make(chan struct{}, 100), answer: make(chan struct{})}
	next := answering(text)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server would not see the client leave
		g.asked <- struct{}{}
		select {
		case <-g.answer:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { g.open(); g.Close() })
	return g
}

func (g *gate) open() { g.once.Do(func() { close(g.answer) }) }

func (g *gate) wait(t *testing.T) {
	t.Helper()
	select {
	case <-g.asked:
	case <-time.After(patience):
		t.Fatal("the model was never asked")
	}
}

func TestSecondInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	first := w.start("chat")
	first.ready()

	began := time.Now()
	_, stderr, code := w.run("chat")
	if code != 3 || time.Since(began) > patience {
		t.Errorf("the second instance ended with %d", code)
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
	first.say("what is 6*7?")
	if got := first.line(); !strings.Contains(got, "42") {
		t.Errorf("the first instance answers %q", got)
	}
	if out, _, code := w.run("sessions", "list"); code != 0 || !strings.Contains(out, "console:local") {
		t.Errorf("sessions list: %d %s", code, out)
	}
	if _, stderr, code := w.run("sessions", "show", "telegram:5"); code != 1 || !strings.Contains(stderr, "there is no session telegram:5") {
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
	for request, want := range map[string]string{
		`{"protocol": 99, "op": "status"}`: "speaks admin protocol 1, this command 99",
		`{"protocol": 1, "op": "dance"}`:   `knows no \"dance\"`,
		`{"protocol": 1, "op": "status"}`:  `"pid":`,
	} {
		conn, err := net.Dial("unix", w.socket())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, request+"\n")
		got, _ := io.ReadAll(conn)
		_ = conn.Close()
		if !strings.Contains(string(got), want) {
			t.Errorf("%s gives %s", request, got)
		}
	}

	// A request without end is cut off, and the gateway goes on.
	conn, err := net.Dial("unix", w.socket())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write(bytes.Repeat([]byte("x"), 2<<20))
	if got, _ := io.ReadAll(conn); len(got) != 0 {
		t.Errorf("an endless request gives %s", got)
	}

	// A killed gateway leaves its socket; the next one takes it over.
	_ = g.cmd.Process.Kill()
	g.end()
	if out, _, code := w.run("status"); code != 0 || !strings.Contains(out, "no gateway is running") {
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

// TestStopBySignal: a second signal ends the process at once; what was under way
// is answered by the next start, once.
func TestStopBySignal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		signals []syscall.Signal
		code    int
	}{
		{"interrupt", []syscall.Signal{syscall.SIGINT}, 130},
		{"terminate", []syscall.Signal{syscall.SIGTERM}, 0},
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
					g.errs.wait(t, "stopping") // the kernel merges signals that nobody has taken yet
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

// TestClosedOutput: nobody reads any more, and the gateway ends by itself.
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
