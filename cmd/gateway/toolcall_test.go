package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestADirectCallAsksOnATerminal: the person at the terminal reads all of the call;
// only their yes runs it, and only as it was shown.
func TestADirectCallAsksOnATerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file := filepath.Join(w.dir, "state", "workspace", "home", "a.md")
	const args = `write_file '{"path":"a.md","content":"%s\n"}'`
	if out, stderr, code := w.run("tool", "call", "write_file", `{"path":"a.md","content":"one\n"}`); code != 0 {
		t.Fatalf("a file is not made: %d %s%s", code, out, stderr)
	}

	s := newScreen(t, w, "tool call "+fmt.Sprintf(args, "two"))
	s.shows("Allow `write_file` to overwrite `a.md` in console:local?")
	s.shows("Overwrite \"a.md\" (4 bytes now, 4 then)\n- one\n+ two\n")
	s.shows("Run it? [y/n]")
	s.keys("n", "Enter")
	s.shows("code=1")
	if got := w.holds(); got != "one\n" {
		t.Errorf("after a no the file holds %q", got)
	}

	s = newScreen(t, w, "tool call "+fmt.Sprintf(args, "three"))
	s.shows("+ three\n")
	if err := os.WriteFile(file, []byte("somebody else's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.keys("y", "Enter")
	s.shows("(16 bytes now, 6 then)") // it is asked about once more, as it is now
	if got := w.holds(); got != "somebody else's\n" {
		t.Errorf("a yes to what was shown before overwrote %q", got)
	}
	s.keys("yes", "Enter")
	s.shows("code=0")
	if got := w.holds(); got != "three\n" {
		t.Errorf("after a yes the file holds %q", got)
	}
}

// TestADirectCallInAnotherChat: --chat calls a tool as that chat would, in the
// running gateway, with its folder, its named folders, its tools and its level.
func TestADirectCallInAnotherChat(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	c.taken()
	c.close()
	book := filepath.Join(c.dir, "handbook")
	if err := os.Mkdir(book, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(book, "rules.md"), []byte("be kind"), 0o600); err != nil {
		t.Fatal(err)
	}
	chat := fmt.Sprintf("telegram:%d", c.member.Who().ID)
	cfg, err := os.ReadFile(c.config)
	if err != nil {
		t.Fatal(err)
	}
	more := fmt.Sprintf("tools: {files: {roots: {handbook: {path: %q, chats: [%q]}}}, chats: {%q: {disabled: [current_time]}}}\n",
		book, chat, chat)
	if err := os.WriteFile(c.config, append(cfg, more...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // without a gateway, and by the one that runs
		for _, tt := range []struct {
			name string
			args []string
			code int
			want string
		}{
			{"the folder that the chat was given", []string{"read_file", `{"path":"@handbook/rules.md"}`, "--chat", chat}, 0, "be kind"},
			{"not given to the console", []string{"read_file", `{"path":"@handbook/rules.md"}`}, 1, "handbook"},
			{"a tool that is off there", []string{"current_time", "--chat", chat}, 1, "permission_denied"},
			{"the level of that chat", []string{"write_file", `{"path":"a.md","content":"a"}`, "--chat", chat, "--yes"}, 1, "permission_denied"},
		} {
			out, stderr, code := c.run(append([]string{"tool", "call"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out, tt.want) {
				t.Errorf("%s: %d %s%s", tt.name, code, out, stderr)
			}
		}
		if c.g.cmd.ProcessState != nil {
			c.open()
		}
	}
	c.close()
	if got := c.holds(); got != "" {
		t.Errorf("the console's folder has %q", got)
	}
}
