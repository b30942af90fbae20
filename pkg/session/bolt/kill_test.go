package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/bolt"
)

// TestMain runs the tests or, when the test binary was started by one of them,
// its part in it: the arguments are then childWord, role, directory and one more.
func TestMain(m *testing.M) {
	if len(os.Args) != 5 || os.Args[1] != childWord {
		goleak.VerifyTestMain(m)
		return
	}
	roles := map[string]func(dir, arg string) error{
		"append": childAppend, "hold": childHold, "full": childFull, "fullat": childFullAt, "open": childOpen, "rss": childRSS,
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

func message(chat, id, text string) session.Item {
	a := channels.Address{Channel: "test", Account: "bot", Chat: chat}
	return session.Item{
		ID: id, Kind: session.ItemMessage, Address: a,
		Inbound: &channels.Inbound{ID: id, Kind: channels.KindMessage, Address: a, Text: text},
	}
}

// childAppend appends from many goroutines and prints each id that was
// acknowledged, and answers turns at the same time, printing each commit.
func childAppend(dir, round string) error {
	ctx := context.Background()
	e, err := bolt.Open(ctx, bolt.Options{Dir: dir, SnapshotEvery: -1})
	if err != nil {
		return err
	}
	go func() {
		_ = e.Run(ctx, func(ctx context.Context, t session.Turn) error {
			info := t.Info()
			if info.Lost > 2 {
				say("lost", info.ID)
			}
			c := session.Commit{Outcome: session.OutcomeAnswered, Outbox: []channels.Outbound{{ID: info.ID + "/final/0", Address: info.Address}}}
			if err := t.Commit(ctx, c); err != nil {
				return err
			}
			for i := range info.Items {
				say("consumed", info.Items[i].ID)
			}
			return nil
		})
	}()
	for w := range 8 {
		go func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%s/%d/%d", round, w, i)
				if err := e.Append(ctx, []session.Item{message(strconv.Itoa(w), id, id)}, nil); err != nil {
					say("error", err)
					return
				}
				say("stored", id)
			}
		}()
	}
	select {}
}

// TestKill kills the process in the middle of its writes, again and again:
// nothing that was acknowledged is lost, and nothing is consumed twice.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stored, consumed := map[string]bool{}, map[string]int{}
	for round := range 5 {
		cmd, _, out := child(t, "append", dir, strconv.Itoa(round))
		kill := 50 + rand.IntN(300)
		for n := 0; out.Scan(); n++ {
			word, id, _ := strings.Cut(out.Text(), " ")
			switch word {
			case "stored":
				stored[id] = true
			case "consumed":
				consumed[id]++
			default:
				t.Errorf("the process said: %s", out.Text())
			}
			if n == kill {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
	}
	if len(stored) == 0 || len(consumed) == 0 {
		t.Fatalf("%d stored and %d consumed: nothing was tested", len(stored), len(consumed))
	}
	for id, n := range consumed {
		if n != 1 {
			t.Errorf("%s was consumed %d times", id, n)
		}
	}

	e := open(t, dir)
	waiting := map[string]bool{}
	for _, item := range drain(t, e) {
		if consumed[item.ID] > 0 {
			t.Errorf("%s was consumed and waits", item.ID)
		}
		waiting[item.ID] = true
	}
	// One that was consumed and not yet said so is known as accepted: it is swallowed.
	for id := range stored {
		if consumed[id] > 0 || waiting[id] {
			continue
		}
		if err := e.Append(t.Context(), []session.Item{message("late", id, id)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if late := drain(t, e); len(late) > 0 {
		t.Errorf("%d acknowledged items were lost, the first: %s", len(late), late[0].ID)
	}
}

// drain answers everything that waits and returns it.
func drain(tb testing.TB, e *bolt.Engine) []session.Item {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	st, err := e.Status(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	if st.Waiting == 0 {
		return nil
	}
	var mu sync.Mutex
	var got []session.Item
	err = e.Run(ctx, func(hctx context.Context, turn session.Turn) error {
		if err := turn.Commit(hctx, session.Commit{Outcome: session.OutcomeAnswered}); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if got = append(got, turn.Info().Items...); len(got) == st.Waiting {
			cancel()
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// childHold opens the store and keeps it until its input ends.
func childHold(dir, _ string) error {
	e, err := bolt.Open(context.Background(), bolt.Options{Dir: dir})
	if err != nil {
		return err
	}
	say("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return e.Close()
}

// childOpen opens the store and says how that went.
func childOpen(dir, _ string) error {
	e, err := bolt.Open(context.Background(), bolt.Options{Dir: dir})
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
	_, err := bolt.Open(t.Context(), options(t, dir))
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

// childFull appends until the file may not grow, then lets it grow again.
func childFull(dir, _ string) error {
	ctx := context.Background()
	signal.Ignore(syscall.SIGXFSZ)
	e, err := bolt.Open(ctx, bolt.Options{Dir: dir, SnapshotEvery: -1})
	if err != nil {
		return err
	}
	limit := func(n uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: ^uint64(0)})
	}
	if err := limit(6 << 20); err != nil {
		return fmt.Errorf("limit: %w", err)
	}
	return fillUp(ctx, e, func() error { return limit(^uint64(0)) })
}

// fillUp appends until the disk is full, checks that the engine says so, makes
// room and checks that it goes on by itself. It prints what was acknowledged.
func fillUp(ctx context.Context, e *bolt.Engine, makeRoom func() error) error {
	text := strings.Repeat("x", 64<<10)
	appendOne := func(i int) error {
		id := strconv.Itoa(i)
		err := e.Append(ctx, []session.Item{message(id, id, text)}, nil)
		if err == nil {
			say("stored", id)
		}
		return err
	}
	i := 0
	for ; i < 10_000; i++ {
		if err := appendOne(i); err != nil {
			if !errors.Is(err, session.ErrStore) {
				return fmt.Errorf("another error: %w", err)
			}
			break
		}
	}
	st, err := e.Status(ctx)
	if err != nil {
		return err
	}
	if st.WriteError == "" {
		return errors.New("the disk is full and the status does not say so")
	}
	say("full", i)
	// What needs less room than the last may find some between the pages; this cannot.
	if err := e.Append(ctx, []session.Item{message("big", "big", strings.Repeat(text, 16))}, nil); err == nil {
		return errors.New("accepted on a full disk")
	}
	if err := makeRoom(); err != nil {
		return err
	}
	if err := appendOne(i); err != nil {
		return fmt.Errorf("there is room again: %w", err)
	}
	if st, err = e.Status(ctx); err != nil || st.WriteError != "" {
		return fmt.Errorf("there is room again: status %q, %w", st.WriteError, err)
	}
	return e.Close()
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, _, out := child(t, "full", dir, "")
	stored, full := map[string]bool{}, false
	for out.Scan() {
		word, id, _ := strings.Cut(out.Text(), " ")
		switch word {
		case "stored":
			stored[id] = true
		case "full":
			full = true
		default:
			t.Error(out.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !full {
		t.Fatal("the disk was never full")
	}
	got := map[string]bool{}
	for _, item := range drain(t, open(t, dir)) {
		got[item.ID] = true
	}
	for id := range stored {
		if !got[id] {
			t.Errorf("%s was acknowledged and is lost", id)
		}
	}
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
	return os.WriteFile(to, b, 0o755)
}
