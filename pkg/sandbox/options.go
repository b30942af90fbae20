package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Options are the settings of a [Runner]. The zero value is a good one.
type Options struct {
	// Groups, when set, has a control group for each run, which counts all of its memory
	// and lets its programs share memory. Its bound is that of Memory and Scratch
	// together, and 32 MiB for the sandbox itself.
	Groups *Groups
	// Unsafe runs programs without the sandbox, with the rights of this process:
	// their environment is clean and their process group is ended, no more.
	Unsafe bool
	// Hidden are absolute paths of files and folders that no program sees, wherever
	// they lie: the state, the configuration.
	Hidden []string
	// Memory bounds the memory of all processes of a run together, and the data of each,
	// in bytes; 0 means 1 GiB.
	Memory int64
	// Processes bounds the processes of a run, and twice as many are the bound of their
	// threads together: a run that goes beyond is ended. 0 means 128.
	Processes int
	// FileSize bounds each file that is written, in bytes; 0 means 256 MiB.
	FileSize int64
	// Disk bounds the size of the workspace's files, in bytes, and DiskFiles the number
	// of files and folders: a run that exceeds one is ended. If there is more before the
	// run, that is its bound. 0 means 1 GB and 10,000.
	Disk      int64
	DiskFiles int
	// Scratch bounds the temporary files of a run, in bytes; 0 means 64 MiB.
	Scratch int64
	// Parallel is how many runs there are at a time, others wait; 0 means 8. The owner
	// of n runs gets another place only while more than n are free: of 8 places, the
	// first owner gets 4 at most.
	Parallel int
}

func (o Options) withDefaults() Options {
	const megabyte = 1 << 20
	o.Memory = orElse(o.Memory, 1024*megabyte)
	o.Processes = orElse(o.Processes, 128)
	o.FileSize = orElse(o.FileSize, 256*megabyte)
	o.Disk = orElse(o.Disk, 1e9)
	o.DiskFiles = orElse(o.DiskFiles, 10_000)
	o.Scratch = orElse(o.Scratch, 64*megabyte)
	o.Parallel = orElse(o.Parallel, 8)
	return o
}

func orElse[T int | int64 | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// The defaults of a [Command].
const (
	defaultTimeout   = 30 * time.Second
	defaultMaxOutput = 64 << 10
	defaultPatience  = 10 * time.Minute
)

// checked is the command with its defaults, or the mistake in it.
func (c Command) checked() (Command, error) {
	c.Timeout = orElse(c.Timeout, defaultTimeout)
	c.MaxOutput = orElse(c.MaxOutput, defaultMaxOutput)
	c.Patience = orElse(c.Patience, defaultPatience)
	if c.Dir == "" {
		c.Dir = c.Workspace
	}
	for _, p := range append([]string{c.Path, c.Dir, c.Workspace}, c.Readable...) {
		if !filepath.IsAbs(p) || filepath.Clean(p) != p || p == "/" {
			return c, fmt.Errorf("run a program: the path %q is not absolute and clean", p)
		}
	}
	if !within(c.Workspace, c.Dir) {
		return c, fmt.Errorf("run a program: the folder %q is not in the workspace", c.Dir)
	}
	for _, s := range append(append([]string{c.Path, c.Dir, c.Workspace}, c.Args...), c.Env...) {
		if strings.ContainsRune(s, 0) {
			return c, errors.New("run a program: an argument or a variable has a NUL byte")
		}
	}
	return c, nil
}

// within says whether path is dir or lies below it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
