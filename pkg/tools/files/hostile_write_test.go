package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/tools"
)

// outside is everything beside the space, with its content.
func (b *box) outside(tb testing.TB) map[string]string {
	tb.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Dir(b.dir), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p == b.dir {
			return filepath.SkipDir
		}
		out[p] = d.Type().String()
		if d.Type().IsRegular() {
			text, err := os.ReadFile(p)
			out[p] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// refused calls every writing tool on a path, first as an examination, and compares
// the answers with want, and the files outside with their former state.
func (b *box) refused(t *testing.T, p, want string) {
	t.Helper()
	outside, inside := b.outside(t), b.names(t)
	for tool, a := range writes(p) {
		_, err := b.examine(t, tools.LevelExec, tool, a)
		if failed, ok := errors.AsType[*tools.Error](err); !ok || string(failed.Type) != want {
			t.Errorf("%s %.60q examined: %v, want %s", tool, p, err, want)
		}
		res := b.call(t.Context(), tool, a)
		if got := errorType(res); got != want {
			t.Errorf("%s %.60q: %s, want %s", tool, p, got, want)
		}
		if strings.Contains(res.ForLLM, filepath.Dir(b.dir)) && !strings.Contains(p, filepath.Dir(b.dir)) ||
			strings.Contains(res.ForLLM, canary) {
			t.Errorf("%s %.60q tells %s", tool, p, res.ForLLM)
		}
	}
	if diff := cmp.Diff(outside, b.outside(t)); diff != "" {
		t.Errorf("%.60q changed what is outside: %s", p, diff)
	}
	if diff := cmp.Diff(inside, b.names(t)); diff != "" {
		t.Errorf("%.60q changed what is inside: %s", p, diff)
	}
}

func TestHostilePathsAreNotWritten(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	b.traps(t)
	b.link(t, "folder", "nowhere")
	for _, p := range []string{
		"..", "../secret.txt", "../new.txt", "a/../../secret.txt", "./../space/inside.txt",
		"a/../inside.txt", "./..", "../../../../../../etc/cron.d/x",
		"../space-two/secret.txt", "../space-two/new.txt", "../space/new.txt",
		"/etc/passwd", "//etc/passwd", "/../etc/passwd", b.path("../new.txt"), b.path("../space-two/new.txt"),
		b.dir + "/../new.txt", b.dir + "-new.txt", b.dir + "/up/new.txt", b.dir + "/relative",
		"/proc/self/mem", "/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self/cwd/x", "/dev/null", "/dev/sda",
		"relative", "absolute", "environ", "dangling-out", "dangling-in", "loop", "good", "up", "slash",
		"up/secret.txt", "up/new.txt", "up/space-two/secret.txt", "up/space/inside.txt",
		"slash/etc/passwd", "slash/proc/self/environ", "slash/tmp/new.txt",
		"nowhere/x", "nowhere/x/y", "dangling-out/x", "loop/x",
		"hard", "fifo", "socket", "device",
		"inside.txt\x00", "inside.txt\x00.md", "\x00", "a\x00/../../secret.txt",
		`..\secret.txt`, `a\..\..\secret.txt`, `C:\secret.txt`, "a\nb", "a\x1b[2Kb", "a\u202egnp.exe", "a\u200bb", "\ufeffa", "a\u2028b", "\xff", "\xc0\xae\xc0\xae/secret.txt",
	} {
		b.refused(t, p, "security_violation")
	}
	for _, p := range []string{
		"fifo/x", "device/x", "inside.txt/x", strings.Repeat("a/", 5000) + "a", strings.Repeat("a/", 200) + "a",
		strings.Repeat("a", 5000), ".", "./", "./.",
	} {
		b.refused(t, p, "invalid_arguments")
	}
	if b.content(t, "inside.txt") != "inside" {
		t.Error("the file in the space was changed")
	}
}

// TestSpellingsThatAreNames writes names that look like a way out: they stay in the
// space.
func TestSpellingsThatAreNames(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	outside := b.outside(t)
	for _, p := range []string{
		"%2e%2e/secret.txt", "..%2fsecret.txt", "...", "..../x", "..secret", "secret..",
		"~/x", "$HOME/x", "a:b", "CON", "x.tar.gz", "x.zip", "space-two/secret.txt",
		"file:///etc/passwd", "\u2025/x", "\uff0e\uff0e/x", "..;/x", "a/./b", "@nothing/x", "-rf",
	} {
		res := b.call(t.Context(), "write_file", args("path", p, "content", p))
		if res.IsError {
			t.Errorf("%q: %s", p, res.ForLLM)
		} else if got := b.content(t, filepath.Clean(p)); got != p {
			t.Errorf("%q holds %q", p, got)
		}
	}
	if diff := cmp.Diff(outside, b.outside(t)); diff != "" {
		t.Error(diff)
	}
}

// TestSwappedLinkIsNotWritten swaps a folder of the space and a link out of it
// for each other while all tools write there.
func TestSwappedLinkIsNotWritten(t *testing.T) {
	t.Parallel()
	b := fortify(t)
	b.write(t, "dir/target.txt", "x")
	b.write(t, "../target.txt", "x"+canary)
	outside := b.outside(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			// A call may make the folder, or part of it, at any moment.
			_ = os.Rename(b.path("dir"), b.path("aside"))
			_ = os.RemoveAll(b.path("dir"))
			_ = os.Symlink("..", b.path("dir"))
			_ = os.Remove(b.path("dir"))
			_ = os.Rename(b.path("aside"), b.path("dir"))
		}
	})
	good := 0
	// On a busy machine the swaps may win every race of the first rounds.
	for round, began := 0, time.Now(); round < 150 || good == 0 && time.Since(began) < 30*time.Second; round++ {
		for _, name := range []string{"target.txt", "new.txt", "sub/new.txt"} {
			for _, tool := range []string{"write_file", "append_file", "edit_file", "delete_file"} {
				res := b.call(t.Context(), tool, writes("dir/" + name)[tool])
				if strings.Contains(res.ForLLM, canary) {
					t.Fatal("the secret was read through a swapped link")
				}
				if !res.IsError {
					good++
				}
			}
		}
	}
	close(stop)
	wg.Wait()
	if good == 0 {
		t.Error("no call wrote in between")
	}
	if diff := cmp.Diff(outside, b.outside(t)); diff != "" {
		t.Errorf("a file outside was written: %s", diff)
	}
}

// TestWritersTakeTurns lets many calls change one file at once.
func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	b := newBox(t, map[string]string{"count": ""})
	tool, _ := b.registry.Get("append_file")
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Space: b.dir, Level: tools.LevelWrite})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if res := tool.Execute(ctx, args("path", "count", "content", fmt.Sprintln(i))); res.IsError {
				t.Error(res.ForLLM)
			}
		})
	}
	wg.Wait()
	lines := strings.Fields(b.content(t, "count"))
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) != 40 {
		t.Errorf("%d of 40 lines are there", len(lines))
	}
}
