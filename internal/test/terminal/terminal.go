package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Patience is the outer bound on whatever a test waits for.
const Patience = 30 * time.Second

// look is the time between two looks at a screen.
const look = 20 * time.Millisecond

// Options describe a terminal. Zero values have defaults.
type Options struct {
	// Width and Height are 100 and 40 by default.
	Width, Height int
	// Dir is the folder and HOME of the command.
	Dir string
	// Env is the environment of the command, beside that of the test and HOME. TERM is that of tmux by default.
	Env []string
}

// Terminal is a window with one command in it. It stays when the command has ended.
type Terminal struct {
	t      *testing.T
	socket string
}

// Start starts a command in a terminal of its own. It skips the test where tmux is not installed.
func Start(t *testing.T, o Options, command string) *Terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the console is not run in a terminal")
	}
	if o.Width == 0 {
		o.Width, o.Height = 100, 40
	}
	s := &Terminal{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	ended := filepath.Join(t.TempDir(), "ended")
	if err := syscall.Mkfifo(ended, 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile(ended, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // our own
	if err != nil {
		t.Fatal(err)
	}
	var env strings.Builder
	for _, v := range append([]string{"HOME=" + o.Dir, "OLLAMA_HOST=127.0.0.1:1"}, o.Env...) {
		name, value, _ := strings.Cut(v, "=")
		env.WriteString("export " + name + "='" + value + "'; ")
	}
	line := "unset NO_COLOR COLORTERM; trap : INT; cd '" + o.Dir + "'; " + env.String() +
		command + " 9>" + ended + "; echo code=$?; cat"
	width, height := strconv.Itoa(o.Width), strconv.Itoa(o.Height)
	s.Tmux("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, "sh", "-c", line)
	s.Tmux("set-option", "-g", "history-limit", "5000")
	t.Cleanup(func() {
		s.Tmux("kill-server")
		defer func() { _ = end.Close() }()
		err := end.SetReadDeadline(time.Now().Add(Patience))
		if _, readErr := end.Read(make([]byte, 1)); err != nil || !errors.Is(readErr, io.EOF) { // the command's end closes it
			t.Errorf("the command does not end with its terminal: %v, %v", err, readErr)
		}
	})
	return s
}

// Tmux runs a command of tmux, and returns its output.
func (s *Terminal) Tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput() //nolint:gosec,noctx // our own
	if err != nil {
		s.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// Keys presses keys by their names in tmux.
func (s *Terminal) Keys(keys ...string) {
	s.t.Helper()
	s.Tmux(append([]string{"send-keys"}, keys...)...)
}

// Type types a text.
func (s *Terminal) Type(text string) {
	s.t.Helper()
	s.Tmux("send-keys", "-l", "--", text)
}

// Say types a text and Enter.
func (s *Terminal) Say(text string) {
	s.t.Helper()
	s.Type(text)
	s.Keys("Enter")
}

// Paste pastes a text, as a terminal does that marks pastes.
func (s *Terminal) Paste(text string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "paste")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.Tmux("load-buffer", file)
	s.Tmux("paste-buffer", "-p")
}

// Resize changes the size of the terminal.
func (s *Terminal) Resize(width, height int) {
	s.t.Helper()
	s.Tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

var (
	tooks  = regexp.MustCompile(`· \d+(\.\d)? (ms|s)\b`)
	waits  = regexp.MustCompile(`\b(thinking|writing|working) \d+ (ms|s)\b`)
	untils = regexp.MustCompile(`until \d\d:\d\d(:\d\d [A-Z]+)?`)
	ids    = regexp.MustCompile(`Approval [A-Z0-9]{8}`)
	spins  = regexp.MustCompile(`(?m)^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] `)
)

// Plain is a text of a screen in which times, numbers of questions and pictures of spinners have one
// form, without spaces at the ends of lines and without empty lines at the end.
func Plain(screen string) string {
	screen = tooks.ReplaceAllString(screen, "· N ms")
	screen = waits.ReplaceAllString(screen, "$1 N s")
	screen = untils.ReplaceAllString(screen, "until HH:MM")
	screen = ids.ReplaceAllString(screen, "Approval XXXXXXXX")
	screen = spins.ReplaceAllString(screen, "* ")
	lines := strings.Split(screen, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Screen is what the terminal shows, in the form of [Plain].
func (s *Terminal) Screen() string { s.t.Helper(); return Plain(s.Tmux("capture-pane", "-p")) }

// Scrollback is all that the terminal holds, in the form of [Plain]. Lines that the terminal broke
// are whole.
func (s *Terminal) Scrollback() string {
	s.t.Helper()
	return Plain(s.Tmux("capture-pane", "-p", "-J", "-S", "-"))
}

// Colours is what the terminal shows, with the sequences of its colours.
func (s *Terminal) Colours() string { s.t.Helper(); return s.Tmux("capture-pane", "-p", "-e") }

// Until looks at a screen again and again until it is as wanted.
func (s *Terminal) Until(what string, get func() string, wanted func(screen string) bool) {
	s.t.Helper()
	deadline := time.After(Patience)
	again := time.NewTicker(look)
	defer again.Stop()
	for {
		got := get()
		if wanted(got) {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			s.t.Fatalf("%s; the screen is\n%s", what, got)
		}
	}
}

// Shows waits until the screen holds a text.
func (s *Terminal) Shows(text string) {
	s.t.Helper()
	s.Until("not on screen: "+text, s.Screen, func(got string) bool { return strings.Contains(got, text) })
}

// Holds waits until the scrollback holds a text.
func (s *Terminal) Holds(text string) {
	s.t.Helper()
	s.Until("not in the scrollback: "+text, s.Scrollback, func(got string) bool { return strings.Contains(got, text) })
}

// Lacks waits until the screen does not hold a text.
func (s *Terminal) Lacks(text string) {
	s.t.Helper()
	s.Until("still on screen: "+text, s.Screen, func(got string) bool { return !strings.Contains(got, text) })
}

// Ends waits until the screen ends in a text: its last lines.
func (s *Terminal) Ends(text string) {
	s.t.Helper()
	text = strings.Trim(text, "\n")
	s.Until("the screen does not end in\n"+text, s.Screen, func(got string) bool {
		return got == text || strings.HasSuffix(got, "\n"+text)
	})
}

// Code waits for the end of the command.
func (s *Terminal) Code(code int) {
	s.t.Helper()
	s.Shows("code=" + strconv.Itoa(code))
}

// Signal sends a signal to the command.
func (s *Terminal) Signal(signal syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(s.pid(), signal); err != nil {
		s.t.Fatal(err)
	}
}

// pid is the process of the command.
func (s *Terminal) pid() int {
	s.t.Helper()
	shell := strings.TrimSpace(s.Tmux("display-message", "-p", "#{pane_pid}"))
	out, err := exec.Command("pgrep", "-P", shell).Output() //nolint:gosec,noctx // the test's own process
	if err != nil {
		s.t.Fatalf("the children of %s: %v", shell, err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		s.t.Fatalf("the children of %s: %q: %v", shell, out, err)
	}
	return pid
}

// Frozen is a terminal that does not read.
type Frozen struct {
	s            *Terminal
	server, tool int
}

// Freeze has the terminal read no more. The caller calls [Frozen.GoOn].
func (s *Terminal) Freeze() *Frozen {
	s.t.Helper()
	f := &Frozen{s: s, tool: s.pid()}
	server, err := strconv.Atoi(strings.TrimSpace(s.Tmux("display-message", "-p", "#{pid}")))
	if err == nil {
		f.server, err = server, syscall.Kill(server, syscall.SIGSTOP)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = syscall.Kill(server, syscall.SIGCONT) })
	return f
}

// Ends sends a signal to the command, and waits for its end.
func (f *Frozen) Ends(signal syscall.Signal) {
	f.s.t.Helper()
	if err := syscall.Kill(f.tool, signal); err != nil {
		f.s.t.Fatal(err)
	}
	there := func() string { return fmt.Sprint(syscall.Kill(f.tool, 0)) }
	f.s.Until("the command does not end", there, func(got string) bool { return got == syscall.ESRCH.Error() })
}

// GoOn has the terminal read again.
func (f *Frozen) GoOn() {
	f.s.t.Helper()
	if err := syscall.Kill(f.server, syscall.SIGCONT); err != nil {
		f.s.t.Fatal(err)
	}
}
