package engine_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/testtools"
	"parley/pkg/session/bolt"
	"parley/pkg/session/local"
)

// childHold opens the store and keeps it until its input ends.
func childHold(dir, _ string) error {
	e, err := local.Open(context.Background(), local.Options{Dir: dir})
	if err != nil {
		return err
	}
	say("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return e.Close()
}

// childOpen opens the store and says how that went.
func childOpen(dir, _ string) error {
	e, err := local.Open(context.Background(), local.Options{Dir: dir})
	if err != nil {
		return err
	}
	say("open")
	return e.Close()
}

func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, in, out := child(t, "hold", dir, "")
	if !out.Scan() || out.Text() != "open" {
		t.Fatalf("the other process said %q", out.Text())
	}
	before := time.Now()
	_, err := local.Open(t.Context(), options(t, dir))
	if !errors.Is(err, bolt.ErrLocked) {
		t.Fatalf("got %v", err)
	}
	if took := time.Since(before); took > 2*time.Second {
		t.Errorf("it took %s to say so", took)
	}
	for _, want := range []string{"another instance", dir, strconv.Itoa(cmd.Process.Pid), "stop it first"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := bolt.Check(t.Context(), dir); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("check of a store in use: %v", err)
	}
	_ = in.Close()
	if out.Scan() {
		t.Errorf("the other process said %q", out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

// TestUnusableDir runs as another user where the test runs as root, whom no
// permission stops.
func TestUnusableDir(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		mode    os.FileMode
		foreign bool
		want    string
	}{
		{"read-only", 0o500, false, "cannot be written"},
		{"world-writable", 0o777, false, "chmod o-w"},
		{"foreign", 0o755, true, "belongs to user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := os.Geteuid() == 0
			if tt.foreign && !root {
				t.Skip("not run: only root can make a directory of another user")
			}
			const other = 65534
			base, err := os.MkdirTemp("", "bolt") //nolint:usetesting // t.TempDir is closed to the other user
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(base) })
			dir := filepath.Join(base, "state")
			binary := filepath.Join(base, "test")
			if err := errors.Join(os.Chmod(base, 0o755), os.Mkdir(dir, 0o700), copyTo(os.Args[0], binary)); err != nil {
				t.Fatal(err)
			}
			if root && !tt.foreign {
				if err := os.Chown(dir, other, other); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(dir, tt.mode); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), binary, childWord, "open", dir, "")
			if root {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}
			}
			out, err := cmd.CombinedOutput()
			if errors.Is(err, fs.ErrPermission) {
				t.Skip("not run: another user cannot reach the folder for temporary files")
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(out), "error") || !strings.Contains(string(out), tt.want) || !strings.Contains(string(out), dir) {
				t.Errorf("it said %q", out)
			}
		})
	}
}

func copyTo(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(testtools.WriteProgram(to, string(b)), os.Chmod(to, 0o755))
}
