package sandbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley/pkg/sandbox"
)

// closeFiles plays a helper that parses input: it prints its input, and whether it can
// open a file after it gave that up.
func closeFiles() {
	if err := sandbox.CloseFiles(); err != nil {
		fmt.Fprintln(os.Stdout, err)
		return
	}
	input, err := io.ReadAll(os.Stdin)
	_, again := os.Open("/etc/passwd")
	_, made := os.Create(os.Args[3])
	fmt.Fprintln(os.Stdout, string(input), err, errors.Is(again, fs.ErrPermission), errors.Is(made, fs.ErrPermission))
}

func TestCloseFiles(t *testing.T) {
	t.Parallel()
	if sandbox.New(sandbox.Options{}).Available() != nil || !sandbox.ClosesFiles() {
		t.Skip("the kernel has no Landlock")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/made"
	cmd := exec.CommandContext(t.Context(), self, victim, closing, file)
	cmd.Stdin = strings.NewReader("input")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Equal(bytes.TrimSpace(out), []byte("input <nil> true true")) {
		t.Errorf("the helper said %q, %v", out, err)
	}
}
