//go:build !linux

package sandbox

import (
	"context"
	"fmt"
)

// Main does nothing here.
func Main() {}

// New makes a runner that runs nothing: there is a sandbox on Linux only.
func New(Options) Runner { return nowhere{} }

type nowhere struct{}

// Available implements [Runner].
func (nowhere) Available() error {
	return fmt.Errorf("%w: programs are run on Linux only", ErrUnavailable)
}

// Run implements [Runner].
func (n nowhere) Run(context.Context, Command) (Result, error) { return Result{}, n.Available() }
