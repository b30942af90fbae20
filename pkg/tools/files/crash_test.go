package files_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley/pkg/tools"
	"parley/pkg/tools/files"
)

// writeForeverIn names the space in which the test's own binary writes until it is killed.
const writeForeverIn = "PARLEY_TEST_WRITE_FOREVER"

// versions are the two contents that a killed writer leaves, large enough that a
// kill meets the middle of one.
func versions() [2]string {
	return [2]string{strings.Repeat("one\n", 200_000), strings.Repeat("two\n", 150_000)}
}

func writeForever(dir string) {
	registry := tools.NewToolRegistry()
	for _, tool := range files.New(files.Options{}) {
		registry.Register(tool)
	}
	ctx := tools.WithInvocation(context.Background(), tools.Invocation{Space: dir, Level: tools.LevelWrite})
	for i := 0; ; i++ {
		res := registry.Execute(ctx, "write_file", args("path", "deep/er/file", "content", versions()[i%2]))
		if res.IsError {
			panic(res.ForLLM)
		}
		if _, err := fmt.Fprintln(os.Stdout, "written"); err != nil {
			panic(err)
		}
	}
}

// TestKilledWhileWriting reads a file that a process writes again and again, and
// kills the process. The file is whole at every moment.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	for round := range 8 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = []string{writeForeverIn + "=" + b.dir}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range round + 1 {
			if !lines.Scan() || lines.Text() != "written" {
				t.Errorf("the writer says %q", lines.Text())
			}
		}
		whole := versions()
		check := func() {
			if got := b.content(t, "deep/er/file"); got != whole[0] && got != whole[1] {
				t.Errorf("round %d: half a file of %d bytes", round, len(got))
			}
		}
		for range 60 {
			check()
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		check()
		var listed excerpt
		b.decode(t, "list_dir", args("path", "deep/er"), &listed)
		if len(listed.Entries) != 1 {
			t.Errorf("round %d: there are %+v", round, listed.Entries)
		}
	}
	// The next write clears up after the last kill.
	if res := b.call(t.Context(), "write_file", args("path", "new", "content", "x")); res.IsError {
		t.Fatal(res.ForLLM)
	}
	if got := strings.Join(b.names(t), " "); got != ". deep deep/er deep/er/file new" {
		t.Errorf("there are %s", got)
	}
}

// TestLeftoversAreNothing plants the remains of a killed writer.
func TestLeftoversAreNothing(t *testing.T) {
	t.Parallel()
	const left = ".parley-0123456789abcdef.tmp"
	b := newBox(t, map[string]string{"d/" + left: canary, left: canary})
	for _, tool := range []string{"list_dir", "search_files"} {
		if res := b.call(t.Context(), tool, args("path", "d", "name", "*")); strings.Contains(res.ForLLM, left) {
			t.Errorf("%s shows %s", tool, res.ForLLM)
		}
	}
	b.unseen(t, "search_files", args("content", "CANARY"))
	for tool, a := range writes("d/" + left) {
		if got := errorType(b.call(t.Context(), tool, a)); got != "security_violation" {
			t.Errorf("%s: %s", tool, got)
		}
	}
	// An examination changes no file, not even these remains.
	for tool, p := range map[string]string{"write_file": "a", "delete_file": "d"} {
		if _, err := b.examine(t, tools.LevelWrite, tool, args("path", p, "content", "x")); err != nil {
			t.Error(err)
		}
	}
	if got := len(b.names(t)); got != 4 {
		t.Errorf("an examination cleared up: %v", b.names(t))
	}
	if res := b.call(t.Context(), "delete_file", args("path", "d")); res.IsError {
		t.Errorf("a folder with a leftover alone: %s", res.ForLLM)
	}
	if res := b.call(t.Context(), "write_file", args("path", "a", "content", "x")); res.IsError {
		t.Error(res.ForLLM)
	}
	if got := strings.Join(b.names(t), " "); got != ". a" {
		t.Errorf("there are %s", got)
	}
}
