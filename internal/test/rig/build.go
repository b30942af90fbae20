package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Build compiles cmd/gateway into dir with the given build flags and returns the binary's
// path. It builds without cgo, as `make build` does, unless the race detector is wanted:
// with cgo a library of the sandbox would link libc into it.
func Build(ctx context.Context, dir, name string, flags ...string) (string, error) {
	bin := filepath.Join(dir, name)
	args := append([]string{"build", "-o", bin}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "parley/cmd/gateway")...) //nolint:gosec // a test's own flags
	if !slices.Contains(flags, "-race") {
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return bin, nil
}

// Binary is a gateway that was built for the tests of a package, or the error of its
// build.
type Binary struct {
	dir, path string
	err       error
}

// BuildForTests compiles cmd/gateway with the given build flags into a folder of its
// own. An error is told by Path, so that a test can fail with it.
func BuildForTests(ctx context.Context, flags ...string) *Binary {
	b := &Binary{}
	if b.dir, b.err = os.MkdirTemp("", "parley-rig"); b.err == nil {
		b.path, b.err = Build(ctx, b.dir, "gateway", flags...)
	}
	return b
}

// Path is the binary's path.
func (b *Binary) Path() (string, error) { return b.path, b.err }

// Remove deletes the binary.
func (b *Binary) Remove() { _ = os.RemoveAll(b.dir) } // a folder for temporary files is emptied by others too
