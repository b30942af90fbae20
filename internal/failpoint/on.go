//go:build failpoint

package failpoint

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Enabled says whether this build has failpoints.
const Enabled = true

//nolint:gochecknoglobals // a failpoint is process-wide by nature and exists in test builds only
var state = struct {
	sync.Mutex
	name string
	left int
	seen map[string]bool
	init bool
}{seen: map[string]bool{}}

// Hit counts one passage of the named point and dies when it is the chosen one.
func Hit(name string) {
	state.Lock()
	defer state.Unlock()
	if !state.init {
		state.init = true
		n, count, _ := strings.Cut(os.Getenv("PARLEY_FAILPOINT"), ":")
		state.name = n
		state.left, _ = strconv.Atoi(count)
	}
	if path := os.Getenv("PARLEY_FAILPOINT_LOG"); path != "" && !state.seen[name] {
		state.seen[name] = true
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = f.WriteString(name + "\n")
			_ = f.Close()
		}
	}
	if name != state.name {
		return
	}
	if state.left--; state.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
