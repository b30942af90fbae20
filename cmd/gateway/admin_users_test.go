package main_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user without rights, with the group of the same number.
const nobody = 65534

// asNobody runs a command as another user, in folders that everybody may pass through.
func asNobody(t *testing.T, w *world, args ...string) (out string, code int) {
	t.Helper()
	bin, err := exec.LookPath("gateway")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(w.dir, "nobody.yaml")
	text := fmt.Sprintf("state_dir: %q\n", filepath.Join(w.dir, "state"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{
		filepath.Dir(bin): 0o755, w.dir: 0o755, filepath.Dir(w.dir): 0o755, config: 0o644,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd := w.command(args...)
	for i, arg := range cmd.Args {
		if arg == w.config {
			cmd.Args[i] = config
		}
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	raw, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("not run: another user cannot reach the folder for temporary files")
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

// TestOtherUsersAreTurnedAway opens every door but the one that counts: the user at the other
// end of the socket.
func TestOtherUsersAreTurnedAway(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can run a command as another user: the check of the socket's user is not run")
	}
	w := newWorld(t, "")
	g := w.start("chat")
	g.ready()
	if out, errs, code := w.run("status"); code != 0 { // from then on the socket keeps its mode
		t.Fatalf("status ends with %d: %s%s", code, out, errs)
	}
	for path, mode := range map[string]os.FileMode{filepath.Join(w.dir, "state"): 0o755, w.socket(): 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"status"}, {"chat"}, {"ask", "hello"}, {"approvals", "list"}} {
		if out, code := asNobody(t, w, args...); code != 1 || !strings.Contains(out, "user 65534 may not use this gateway") {
			t.Errorf("%q ends with %d: %s", args, code, out)
		}
	}
	out, _, _ := w.run("audit", "show")
	if n := strings.Count(out, "user 65534 may not use this gateway"); n < 4 {
		t.Errorf("%d refusals are in the audit log:\n%s", n, out)
	}
	if strings.Contains(out, "attached  console:local  uid/65534") {
		t.Errorf("another user was attached:\n%s", out)
	}
	if out, _, code := w.run("status"); code != 0 || !strings.Contains(out, "runs as process") {
		t.Errorf("its own user gets %d: %s", code, out)
	}
	_ = g.in.Close()
	if code := g.end(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// TestAGroupMayAttach: the members of admin.group use the gateway of another user, with a file
// that names its state folder alone.
func TestAGroupMayAttach(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can run a command as another user: the group is not tried")
	}
	its, err := user.LookupGroupId(strconv.Itoa(nobody))
	if err != nil {
		t.Skip("not run: this machine has no group 65534")
	}
	w := newWorld(t, "")
	raw, err := os.ReadFile(w.config)
	if err == nil {
		err = os.WriteFile(w.config, append(raw, "admin: {group: "+its.Name+"}\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	g := w.start("run")
	g.ready()
	if out, code := asNobody(t, w, "ask", "what is 17*23?"); code != 0 || !strings.HasPrefix(out, "17*23 = 391\n") {
		t.Errorf("a member of the group gets %d: %s", code, out)
	}
	if out, code := asNobody(t, w, "status"); code != 0 || !strings.Contains(out, "runs as process") {
		t.Errorf("a member of the group gets %d: %s", code, out)
	}
	if out, _, _ := w.run("audit", "show"); !strings.Contains(out, "uid/65534") {
		t.Errorf("the member is not in the audit log:\n%s", out)
	}
	info, err := os.Stat(filepath.Join(w.dir, "state"))
	if err != nil || info.Mode().Perm()&0o067 != 0 {
		t.Errorf("the state folder has the mode %v: %v", info.Mode(), err)
	}
	if _, errs, code := w.run("doctor", "--offline"); strings.Contains(errs, "state") {
		t.Errorf("the doctor says %d: %s", code, errs)
	}
	g.interrupt()
}
