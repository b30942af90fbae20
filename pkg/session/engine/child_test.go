package engine_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs the tests or, when the test binary was started by one of them,
// its part in it: the arguments are then childWord, role, directory and one more.
func TestMain(m *testing.M) {
	if len(os.Args) != 5 || os.Args[1] != childWord {
		goleak.VerifyTestMain(m)
		return
	}
	roles := map[string]func(dir, arg string) error{
		"append": childAppend, "parts": childParts, "hold": childHold,
		"full": childFull, "fullat": childFullAt, "open": childOpen, "rss": childRSS,
	}
	if err := roles[os.Args[2]](os.Args[3], os.Args[4]); err != nil {
		say("error", err)
	}
}

const childWord = "child"

// say is how a child speaks to the test that started it.
func say(words ...any) { _, _ = fmt.Fprintln(os.Stdout, words...) }

// child starts this test binary in another role.
func child(tb testing.TB, role, dir, arg string) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), os.Args[0], childWord, role, dir, arg)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	return cmd, in, bufio.NewScanner(out)
}
