package main_test

import (
	"bufio"
	"bytes"
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
	// env is the environment of the processes beside that of this one.
	env []string
}

// newWorld writes a configuration with a model at url; "" is the offline model.
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
	cmd.Env = append(cmd.Env, w.env...)
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

// gateway is a running chat with an input that stays open.
type gateway struct {
	w     *world
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	errs  *record
}

// record keeps a process's output, and can be waited for.
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
			g.w.t.Fatalf("the output ended: %s", g.errs)
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

// interrupt ends a gateway that has no turn under way.
func (g *gateway) interrupt() {
	g.w.t.Helper()
	if err := g.cmd.Process.Signal(os.Interrupt); err != nil {
		g.w.t.Fatal(err)
	}
	_ = g.in.Close()
	if code := g.end(); code != 0 {
		g.w.t.Errorf("the gateway ends with %d: %s", code, g.errs)
	}
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
