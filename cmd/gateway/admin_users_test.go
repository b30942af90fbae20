package main_test

import (
	"encoding/json"
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

// machineUser is a user of the machine that has no entry in its files.
type machineUser struct {
	id     uint32
	groups []uint32
}

// asUser runs a command as another user, in folders that everybody may pass through, with a
// configuration that names the state folder alone.
func asUser(t *testing.T, w *world, u machineUser, args ...string) (out string, code int) {
	t.Helper()
	return pipedAsUser(t, w, u, "", args...)
}

func pipedAsUser(t *testing.T, w *world, u machineUser, input string, args ...string) (out string, code int) {
	t.Helper()
	bin, err := exec.LookPath("gateway")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(w.dir, "other.yaml")
	text := fmt.Sprintf("state_dir: %q\n", filepath.Join(w.dir, "state"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
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
	cmd.Stdin = strings.NewReader(input)
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: u.id, Gid: u.id, Groups: u.groups}
	raw, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("not run: another user cannot reach the folder for temporary files")
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

func asNobody(t *testing.T, w *world, args ...string) (out string, code int) {
	t.Helper()
	return asUser(t, w, machineUser{id: nobody}, args...)
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

// TestAGroupThatIsNotThere keeps the gateway from starting, which config check and doctor say before.
func TestAGroupThatIsNotThere(t *testing.T) {
	t.Parallel()
	const want = "admin.group: there is no group no-such-group here: name one of the machine, or give its number\n"
	w := newWorld(t, "")
	w.write(offlineModel + "admin: {group: no-such-group}\n")
	for _, verb := range []string{"config check", "run"} {
		if _, errs, code := w.run(strings.Fields(verb)...); code != 2 || !strings.HasSuffix(errs, want) {
			t.Errorf("%s ends with %d: %s", verb, code, errs)
		}
	}
	if out, _, code := w.run("doctor"); code != 5 || !strings.Contains(out, "there is no group no-such-group") {
		t.Errorf("doctor ends with %d: %s", code, out)
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
	w.closedToGroup(t)
	if _, errs, code := w.run("doctor", "--offline"); strings.Contains(errs, "state") {
		t.Errorf("the doctor says %d: %s", code, errs)
	}
	g.interrupt()
}

// closedToGroup checks that the group may pass through the state folder, and reach nothing in it but
// the socket.
func (w *world) closedToGroup(t *testing.T) {
	t.Helper()
	state, seen := filepath.Join(w.dir, "state"), 0
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		allowed := fs.FileMode(0)
		switch path {
		case state:
			allowed = 0o010
		case w.socket():
			allowed = 0o060
		}
		if others := info.Mode().Perm() & 0o077; others&^allowed != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		seen++
		return nil
	})
	if err != nil || seen < 5 {
		t.Errorf("%d files were looked at: %v", seen, err)
	}
}

// TestConsolesOfTwoUsers: two members of the group share the console's conversation. Each answer, and
// each command of an operator, is on record with the user who gave it.
func TestConsolesOfTwoUsers(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can run a command as another user: two users are not tried")
	}
	const group = 54321 // it has no entry in the files of this machine either
	ann, ben := machineUser{54322, []uint32{group}}, machineUser{54323, []uint32{group}}
	stranger := machineUser{54324, []uint32{group + 100}}
	w := newWorld(t, "")
	w.write(offlineModel + fmt.Sprintf("admin: {group: \"%d\"}\n", group))
	g := w.start("run")
	g.ready()
	ask := func(u machineUser, want int, args ...string) string {
		t.Helper()
		out, code := asUser(t, w, u, args...)
		if code != want {
			t.Fatalf("%q of user %d ends with %d: %s", args, u.id, code, out)
		}
		return out
	}
	const write = `/tool write_file {"path":"a.md","content":"%s"}`
	ask(ann, 0, "ask", "--session", "shared", fmt.Sprintf(write, "one"))
	out := ask(ann, 1, "ask", "--json", "--session", "shared", fmt.Sprintf(write, "three"))
	var asked struct{ Questions []string }
	if err := json.Unmarshal([]byte(out[:strings.IndexByte(out, '\n')]), &asked); err != nil || len(asked.Questions) != 1 {
		t.Fatalf("%s: %v", out, err)
	}
	if out, code := asUser(t, w, stranger, "ask", "hello"); code != 2 || !strings.Contains(out, "belongs to user 0") {
		t.Errorf("a user outside of the group gets %d: %s", code, out)
	}
	answered, code := pipedAsUser(t, w, ben, "y\n", "chat", "--session", "shared")
	if code != 0 || w.holds() != "three" {
		t.Errorf("the answer of the other user ends with %d, and the file holds %q: %s", code, w.holds(), answered)
	}
	if !strings.Contains(answered, "Allowed once by uid 54323") {
		t.Errorf("the answerer is not shown: %s", answered)
	}
	ask(ben, 0, "jobs", "list")
	if out, code := asUser(t, w, ben, "approvals", "deny", "NONE"); code != 1 {
		t.Errorf("ends with %d: %s", code, out)
	}
	rows, _, _ := w.run("audit", "show")
	for _, want := range []string{
		"attached  console:shared  uid/54322", "answered  console:shared  uid/54323", asked.Questions[0],
		"uid/54323                 approvals deny NONE",
	} {
		if !strings.Contains(squeezed(rows), squeezed(want)) {
			t.Errorf("%q is not in the audit log:\n%s", want, rows)
		}
	}
	g.interrupt()
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }
