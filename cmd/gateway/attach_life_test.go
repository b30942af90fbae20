package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// kill ends the gateway's process with SIGKILL.
func (g *gateway) kill() {
	g.w.t.Helper()
	if err := g.cmd.Process.Kill(); err != nil {
		g.w.t.Fatal(err)
	}
	if code := g.end(); code != -1 {
		g.w.t.Fatalf("it ended with %d", code)
	}
}

// hears waits for a line that begins with a text, and fails at one that must not come twice.
func (g *gateway) hears(text string) {
	g.w.t.Helper()
	for {
		if strings.HasPrefix(g.line(), text) {
			return
		}
	}
}

// spoken counts the messages that people wrote in a conversation.
func (w *world) spoken(chat string) int {
	w.t.Helper()
	out, errs, code := w.run("sessions", "export", "console:"+chat)
	if code != 0 {
		w.t.Fatalf("sessions export ends with %d: %s", code, errs)
	}
	n := 0
	for s := bufio.NewScanner(strings.NewReader(out)); s.Scan(); {
		var e struct{ Message struct{ Role string } }
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			w.t.Fatalf("%q: %v", s.Text(), err)
		}
		if e.Message.Role == "user" {
			n++
		}
	}
	return n
}

// TestAConsoleOutlastsItsGateway: what is written while the gateway is gone is sent once it is back,
// once.
func TestAConsoleOutlastsItsGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("run")
	g.ready()
	c := w.start("chat")
	c.say("what is 2*2?")
	c.hears("2*2 = 4")
	for i := range 3 {
		g.kill()
		c.say(fmt.Sprintf("what is %d*7?", i))
		g = w.start("run")
		c.hears(fmt.Sprintf("%d*7 = %d", i, 7*i))
	}
	_ = c.in.Close()
	if code := c.end(); code != 0 {
		t.Errorf("the console ends with %d: %s", code, c.errs)
	}
	g.interrupt()
	if n := w.spoken("local"); n != 4 {
		t.Errorf("%d messages are in the conversation, want 4", n)
	}
}

// TestAConsoleTellsThatTheGatewayIsGone, and that it is back.
func TestAConsoleTellsThatTheGatewayIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("run")
	g.ready()
	s := newScreen(t, w, "chat --plain --session far")
	s.shows("[a new conversation: far]")
	g.kill()
	s.shows("[the gateway does not answer; waiting for it")
	s.keys("what is 6*7?", "Enter")
	g = w.start("run")
	s.shows("[the gateway is back]")
	s.shows("6*7 = 42")
	s.keys("C-d")
	s.shows("code=0")
	w.eventually(t, func() bool { // the answer is shown as it grows, before the turn is stored
		out, _, _ := w.run("sessions", "export", "console:far")
		return strings.Contains(out, "6*7 = 42")
	})
	s = newScreen(t, w, "chat --plain --session far")
	s.shows("the conversation far goes on, last on ")
	s.shows(": what is 6*7?]")
	s.keys("C-d")
	s.shows("code=0")
	g.interrupt()
}

// TestAConsoleSaysWhichConversationGoesOn in one short line, by the words of the person, and tells a
// reminder that came meanwhile as one.
func TestAConsoleSaysWhichConversationGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("run")
	g.ready()
	long := "remind me in 1 second to drink" + strings.Repeat(" much", 100) + " water"
	if _, errs, code := w.run("ask", "--session", "far", long); code != 0 {
		t.Fatalf("ask ends with %d: %s", code, errs)
	}
	w.eventually(t, func() bool {
		out, _, _ := w.run("sessions", "export", "console:far")
		return strings.Contains(out, "Reminder: drink")
	})
	s := newScreen(t, w, "chat --plain --session far")
	s.shows("[by a schedule]")
	got := s.tmux("capture-pane", "-p", "-J")
	if !strings.Contains(got, ": remind me in 1 second to drink much") || !strings.Contains(got, "much…]") {
		t.Errorf("the console does not say in short which conversation goes on:\n%s", got)
	}
	if strings.Contains(got, "in answer to") {
		t.Errorf("a reminder answers no words:\n%s", got)
	}
	s.keys("C-d")
	s.shows("code=0")
	g.interrupt()
}

// TestAConsoleTakesTheGatewayOver: one that ran the gateway leaves or dies, and the next one runs it.
func TestAConsoleTakesTheGatewayOver(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(g *gateway){
		"leaves": func(g *gateway) {
			_ = g.in.Close()
			if code := g.end(); code != 0 {
				t.Errorf("it ends with %d: %s", code, g.errs)
			}
		},
		"dies": (*gateway).kill,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			first := w.start("chat")
			first.ready()
			second, third := w.start("chat", "--session", "b"), w.start("chat", "--session", "c")
			second.say("what is 2*3?")
			second.hears("2*3 = 6")
			third.say("what is 2*4?")
			third.hears("2*4 = 8")
			leave(first)
			second.say("what is 2*5?")
			third.say("what is 2*6?")
			second.hears("2*5 = 10")
			third.hears("2*6 = 12")
			leave(second)
			third.say("what is 2*7?")
			third.hears("2*7 = 14")
			_ = third.in.Close()
			if code := third.end(); code != 0 {
				t.Errorf("the last one ends with %d: %s", code, third.errs)
			}
			if b, c := w.spoken("b"), w.spoken("c"); b != 2 || c != 3 {
				t.Errorf("%d and %d messages are in the conversations, want 2 and 3", b, c)
			}
		})
	}
}

// TestConsolesThatStartAtOnce have one gateway: one of them runs it, and the others attach.
func TestConsolesThatStartAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			out, errs, code := w.run("ask", fmt.Sprintf("what is %d*11?", i))
			if want := fmt.Sprintf("%d*11 = %d\n", i, i*11); code != 0 || !strings.HasPrefix(out, want) {
				t.Errorf("console %d ends with %d: %s%s", i, code, out, errs)
			}
		})
	}
	all.Wait()
}

// TestAConsoleWaitsForOneThatStarts: the store is taken, and no gateway answers yet.
func TestAConsoleWaitsForOneThatStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	if out, errs, code := w.run("ask", "what is 2*2?"); code != 0 {
		t.Fatalf("ask ends with %d: %s%s", code, out, errs)
	}
	taken, err := os.OpenFile(filepath.Join(w.dir, "state", "parley.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := syscall.Flock(int(taken.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	c := w.start("chat")
	c.say("what is 6*7?")
	select {
	case line, ok := <-c.lines:
		t.Fatalf("it does not wait, says %q (%t) and: %s", line, ok, c.errs)
	case <-time.After(3 * time.Second): // many times the first pauses
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	c.hears("6*7 = 42")
	_ = c.in.Close()
	if code := c.end(); code != 0 {
		t.Errorf("it ends with %d: %s", code, c.errs)
	}
}

// TestAConsoleShowsWhatAnotherOneHasSeen: one that was stopped while the gateway died and came back
// has all messages on its screen, also those that the other one showed before.
func TestAConsoleShowsWhatAnotherOneHasSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("run")
	g.ready()
	stopped, awake := w.start("chat"), w.start("chat")
	stopped.say("what is 2*2?")
	stopped.hears("2*2 = 4")
	awake.say("what is 3*3?")
	awake.hears("3*3 = 9")
	stopped.hears("3*3 = 9")
	if err := stopped.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	g.kill()
	g = w.start("run")
	awake.say("what is 4*4?")
	awake.hears("4*4 = 16")
	_ = awake.in.Close() // it ends behind the mark that all was seen
	if code := awake.end(); code != 0 {
		t.Errorf("it ends with %d: %s", code, awake.errs)
	}
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	stopped.hears("4*4 = 16")
	_ = stopped.in.Close()
	if code := stopped.end(); code != 0 {
		t.Errorf("it ends with %d: %s", code, stopped.errs)
	}
	g.interrupt()
}

// TestConsolesOfOtherReleases: each side tells the person what to do.
func TestConsolesOfOtherReleases(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	g := w.start("run")
	g.ready()
	for _, version := range []string{"", "2"} {
		status, body := w.overSocket(t, "/console/chats/local", version)
		if status != http.StatusUpgradeRequired || !strings.Contains(body, "they are of different releases; start the gateway again") {
			t.Errorf("version %q gets %d: %s", version, status, body)
		}
	}
	g.interrupt()
	old := http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: patience}
	l, err := net.Listen("unix", w.socket())
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = old.Serve(l) // it ends with Close
	}()
	defer func() { _ = old.Close(); <-over }()
	for _, args := range [][]string{{"ask", "hello"}, {"chat"}} {
		if _, errs, code := w.run(args...); code != 1 || !strings.Contains(errs, "of an older release, which knows no consoles: start") {
			t.Errorf("%q ends with %d: %s", args, code, errs)
		}
	}
}

// overSocket asks the gateway as a console does that speaks a version of the protocol.
func (w *world) overSocket(t *testing.T, path, version string) (status int, body string) {
	t.Helper()
	conn, err := net.Dial("unix", w.socket())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://gateway"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if version != "" {
		req.Header.Set("Parley-Console", version)
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var text strings.Builder
	_, _ = bufio.NewReader(resp.Body).WriteTo(&text)
	return resp.StatusCode, text.String()
}

// TestALongStateFolder has a socket all the same, for operators and consoles.
func TestALongStateFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.file("parley.yaml", fmt.Sprintf("state_dir: %q\nmodels: {main: {provider: offline}}\n",
		filepath.Join(w.dir, strings.Repeat("long/", 30)+"state")), 0o600)
	g := w.start("chat")
	g.say("what is 2*2?")
	g.hears("2*2 = 4")
	out, errs, code := w.run("ask", "what is 2*3?")
	if code != 0 || !strings.HasPrefix(out, "2*3 = 6") {
		t.Errorf("ends with %d: %s%s", code, out, errs)
	}
	if out, _, code := w.run("status"); code != 0 || !strings.Contains(out, fmt.Sprintf("process %d", g.cmd.Process.Pid)) {
		t.Errorf("status ends with %d: %s", code, out)
	}
	_ = g.in.Close()
	if code := g.end(); code != 0 {
		t.Errorf("it ends with %d: %s", code, g.errs)
	}
}

// TestTheRightsOfTheConsoleHoldInEachConversation also where it has another name.
func TestTheRightsOfTheConsoleHoldInEachConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.write(offlineModel + "tools: {chats: {\"console:local\": {level: read}}}\n")
	const write = `/tool write_file {"path":"a.md","content":"x"}`
	for _, session := range []string{"local", "other"} {
		out, _, _ := w.run("ask", "--session", session, write)
		if !strings.Contains(out, "write_file") || w.holds() != "" {
			t.Errorf("the conversation %s may write: %s", session, out)
		}
	}
}

// TestAskReadsItsInput where no word is given, and refuses what it cannot send before it begins.
func TestAskReadsItsInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for _, args := range [][]string{{"ask"}, {"ask", "-"}} {
		if out, errs, code := w.pipe("what is 17*23?\n", args...); code != 0 || !strings.HasPrefix(out, "17*23 = 391\n") {
			t.Errorf("%q ends with %d: %s%s", args, code, out, errs)
		}
	}
	for _, c := range []struct {
		input, want string
		args        []string
	}{
		{"", "write a question", []string{"ask"}},
		{" \n", "write a question", []string{"ask", "-"}},
		{strings.Repeat("a", 600<<10), "longer than 512 KiB: send it as a file", []string{"ask"}},
		{"", "-f " + w.dir + ": it is no file", []string{"ask", "-f", w.dir, "hello"}},
		{"", "-f /no/such: no such file or directory", []string{"ask", "-f", "/no/such", "hello"}},
	} {
		if _, errs, code := w.pipe(c.input, c.args...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%q ends with %d: %s", c.args, code, errs)
		}
	}
	const write = `/tool write_file {"path":"a.md","content":"%s"}`
	if out, errs, code := w.run("ask", fmt.Sprintf(write, "one")); code != 0 {
		t.Errorf("ends with %d: %s%s", code, out, errs)
	}
	out, _, code := w.run("ask", "--json", fmt.Sprintf(write, "two"))
	var answer struct{ Questions []string }
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != 1 || len(answer.Questions) != 1 {
		t.Errorf("a call that waits for a person ends with %d: %s: %v", code, out, err)
	}
	w.configure("http://127.0.0.1:1")
	out, _, code = w.run("ask", "--json", "hello")
	var failed struct {
		Messages []string
		Failed   bool
	}
	if err := json.Unmarshal([]byte(out), &failed); err != nil || code != 1 || !failed.Failed || len(failed.Messages) != 1 {
		t.Errorf("a model that cannot be reached ends with %d: %s: %v", code, out, err)
	}
}
