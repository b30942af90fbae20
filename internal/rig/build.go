package rig

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Build compiles cmd/gateway into dir with the given build flags and returns the binary's path.
func Build(ctx context.Context, dir, name string, flags ...string) (string, error) {
	bin := filepath.Join(dir, name)
	args := append([]string{"build", "-o", bin}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "parley/cmd/gateway")...) //nolint:gosec // a test's own flags
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return bin, nil
}
