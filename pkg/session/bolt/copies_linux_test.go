package bolt_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/pkg/session/bolt"
)

// TestACopyStaysWhereMemoryIsScarce: a snapshot that cannot be opened for want of memory is no damaged one. It
// stays, and is cleaned once there is memory again.
func TestACopyStaysWhereMemoryIsScarce(t *testing.T) {
	t.Parallel()
	if flag.NArg() > 0 { // the child process
		cleanWhereScarce(t, flag.Arg(0))
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestACopyStaysWhereMemoryIsScarce$", t.TempDir())
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// cleanWhereScarce runs in a process of its own: the limit is for all of it.
func cleanWhereScarce(t *testing.T, dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := bolt.Open(t.Context(), bolt.Options{Dir: dir, Now: time.Now})
	must(err)
	defer func() { must(s.Close()) }()
	snap, err := s.Save()
	must(err)

	var before unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_AS, &before))
	statm, err := os.ReadFile("/proc/self/statm")
	must(err)
	var pages uint64
	_, err = fmt.Fscan(bytes.NewReader(statm), &pages)
	must(err)
	const spare = 256 << 20 // a store that is opened for writing maps more at once
	now := unix.Rlimit{Cur: pages*uint64(os.Getpagesize()) + spare, Max: before.Max}
	must(unix.Setrlimit(unix.RLIMIT_AS, &now))
	changed, err := s.CleanCopies(t.Context(), true)
	must(unix.Setrlimit(unix.RLIMIT_AS, &before))
	if err == nil || bolt.IsDamaged(err) {
		t.Errorf("CleanCopies: %v, %v", changed, err)
	}
	if _, err := os.Stat(snap); err != nil {
		t.Errorf("the snapshot: %v", err)
	}
	if changed, err = s.CleanCopies(t.Context(), true); err != nil || len(changed) != 1 || changed[0] != snap {
		t.Errorf("CleanCopies with memory again: %v, %v", changed, err)
	}
}
