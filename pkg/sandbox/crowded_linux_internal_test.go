package sandbox

import "testing"

// TestAnInitWithoutAThread: its death, for want of a number of a process, is the
// program's doing and is told as such.
func TestAnInitWithoutAThread(t *testing.T) {
	t.Parallel()
	res := Result{Stderr: []byte("sh: cannot fork\nruntime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n")}
	if !crowdedOut(&res) || res.Limit != "processes" || string(res.Stderr) != "sh: cannot fork\n" {
		t.Errorf("limit %q, stderr %q", res.Limit, res.Stderr)
	}
	other := Result{Stderr: []byte("fatal error: out of memory")}
	if crowdedOut(&other) || other.Limit != "" {
		t.Errorf("another death is %q", other.Limit)
	}
}
