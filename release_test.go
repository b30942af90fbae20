package parley_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/tools/promises"
)

// maxBinary is the largest size of the stripped release.
const maxBinary = 30 << 20

// buildLimit is the longest cold build on a slow machine.
const buildLimit = 5 * time.Minute

// TestRelease builds the gateway as make build does, but without the profile, which
// would have every package compiled anew, and compares it with the documents.
func TestRelease(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "gateway")
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	t.Cleanup(cancel)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w -funcalign=16", "-o", bin, "./cmd/gateway")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	commands, err := os.ReadFile("docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("Size", func(t *testing.T) {
		t.Parallel()
		info, err := os.Stat(bin)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("the stripped binary has %.1f MB", float64(info.Size())/(1<<20))
		if info.Size() > maxBinary {
			t.Errorf("the stripped binary has %d bytes, more than %d", info.Size(), maxBinary)
		}
	})
	t.Run("FirstAnswers", func(t *testing.T) {
		t.Parallel()
		out := gateway(t, bin, "what is 17*23?\nlist the files in the workspace\n", "chat")
		first, second := strings.Index(out, "391"), strings.Index(out, "MEMORY.md")
		if first < 0 || second < first {
			t.Errorf("want 391, then MEMORY.md among the files; got:\n%s", out)
		}
	})
	t.Run("ChatCommandsAreDocumented", func(t *testing.T) {
		t.Parallel()
		out := gateway(t, bin, "/help\n", "chat")
		here := regexp.MustCompile("(?m)^\\| `/(un)?link`.*\n").ReplaceAllString(string(commands), "") // it serves no page
		same(t, here, "(?m)^\\| `(/[a-z]+)", out, `(?m)^(/[a-z]+)`)
	})
	t.Run("VerbsAreDocumented", func(t *testing.T) {
		t.Parallel()
		out := gateway(t, bin, "", "--help")
		_, out, _ = strings.Cut(out, "Available Commands:")
		out, _, _ = strings.Cut(strings.ReplaceAll(out, "\n  help ", "\n"), "\n\n")
		_, table, _ := strings.Cut(string(commands), "## On the command line")
		table, _, _ = strings.Cut(table, "## ")
		same(t, table, "(?m)^\\| `([a-z]+)", out, `(?m)^  ([a-z]+)`)
	})
}

// TestReleaseForMacOS: the gateway compiles where there is no Linux.
func TestReleaseForMacOS(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later) // the first time, it compiles the standard library
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*buildLimit)
	t.Cleanup(cancel)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w -funcalign=16", "-o", os.DevNull, "./cmd/gateway")
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOOS=darwin", "GOARCH=arm64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("go build for macOS: %v\n%s", err, out)
	}
}

// same compares the words that a document and the gateway list.
func same(t *testing.T, doc, inDoc, out, inOut string) {
	t.Helper()
	words := func(text, pattern string) []string {
		var all []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	want, got := words(out, inOut), words(doc, inDoc)
	if len(want) == 0 || !slices.Equal(want, got) {
		t.Errorf("the gateway knows %v, docs/commands.md %v", want, got)
	}
}

// gateway runs the binary without this machine's configuration or keys.
func gateway(t *testing.T, bin, input string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gateway %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
