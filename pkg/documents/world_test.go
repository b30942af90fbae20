package documents_test

import (
	"context"
	"fmt"

	"parley/pkg/sandbox"
)

// none is a machine without a sandbox.
type none struct{}

func (none) Available() error { return fmt.Errorf("%w: none", sandbox.ErrUnavailable) }

func (n none) Run(context.Context, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{}, n.Available()
}
