//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
)

// Groups are the control groups of runs, which Linux has.
type Groups struct{}

// Claim says that there are no control groups here.
func Claim() (*Groups, error) { return nil, Claimable() }

// Claimable says why [Claim] fails.
func Claimable() error { return errors.New("there are control groups on Linux only") }

// Main has no effect here.
func Main() {}

// New makes a runner that refuses every run: the sandbox exists on Linux only.
func New(Options) Runner { return nowhere{} }

type nowhere struct{}

// Available implements [Runner].
func (nowhere) Available() error {
	return fmt.Errorf("%w: programs are run on Linux only", ErrUnavailable)
}

// Run implements [Runner].
func (n nowhere) Run(context.Context, Command) (Result, error) { return Result{}, n.Available() }

// CloseFiles has no effect here: there is no sandbox in which a helper could run.
func CloseFiles() error { return nil }
