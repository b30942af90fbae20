package history_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"parley/pkg/console/history"
)

// TestAMemberHasAnOwnFile: a member of the group that may attach cannot write in the gateway's state
// folder, and keeps lines all the same.
func TestAMemberHasAnOwnFile(t *testing.T) {
	const member = 54322
	if os.Getuid() == member {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		path := history.Path(filepath.Join(dir, "state"), filepath.Join(dir, "home", ".parley"))
		add(t, open(t, path), "a line of a member")
		if got := all(open(t, path)); got != "a line of a member" {
			t.Errorf("after a start: %q", got)
		}
		return
	}
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can run a command as another user: a member's file is not tried")
	}
	dir, err := os.MkdirTemp("", "member") //nolint:usetesting // the folders above must be open to the member
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for name, mode := range map[string]os.FileMode{"": 0o755, "state": 0o711, "home": 0o700} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(filepath.Join(dir, "home"), member, member); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program") // the folder of the test itself may be closed
	raw, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestAMemberHasAnOwnFile$")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + filepath.Join(dir, "home")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: member, Gid: member}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kept := filepath.Join(dir, "home", ".parley", "console-history-54322.jsonl")
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the member is %v: %v", info, err)
	}
	if got, want := history.Path(dir, filepath.Join(dir, "home")), filepath.Join(dir, "console-history-0.jsonl"); got != want {
		t.Errorf("the file of the gateway's user is %s, want %s", got, want)
	}
}
