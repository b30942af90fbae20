package sandbox

import "testing"

// TestAnInitWithoutAThread: its death, for want of a number of a process, is the
// program's doing and is told as such.
func TestAnInitWithoutAThread(t *testing.T) {
	t.Parallel()
	for _, last := range []string{
		"runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n",
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n",
	} {
		res := Result{Stderr: []byte("sh: cannot fork\n" + last)}
		if !crowdedOut(&res) || res.Limit != "processes" || string(res.Stderr) != "sh: cannot fork\n" {
			t.Errorf("limit %q, stderr %q", res.Limit, res.Stderr)
		}
	}
	silent := Result{Stderr: []byte("sh: 1: Cannot fork\n")}
	if !crowdedOut(&silent) || silent.Limit != "processes" || len(silent.Stderr) == 0 {
		t.Errorf("without a word of its own: limit %q, stderr %q", silent.Limit, silent.Stderr)
	}
	other := Result{Stderr: []byte("fatal error: out of memory")}
	if crowdedOut(&other) || other.Limit != "" {
		t.Errorf("another death is %q", other.Limit)
	}
}
