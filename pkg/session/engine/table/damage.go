package table

import (
	"errors"
	"fmt"
	"runtime/debug"

	"parley/pkg/panics"
	"parley/pkg/session"
)

// ErrDamaged marks a store that cannot be used as it is.
var ErrDamaged = errors.New("the store file is damaged")

// Damagedf is an [ErrDamaged] with a reason.
func Damagedf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// PanicError marks an error that was a panic: a bug, or a page that is damaged.
type PanicError struct{ value any }

// Error is the text of the panic.
func (e *PanicError) Error() string { return fmt.Sprintf("%v: %v", session.ErrCorrupt, e.value) }

// Unwrap makes it a [session.ErrCorrupt].
func (*PanicError) Unwrap() error { return session.ErrCorrupt }

// Guard runs f and turns a panic into an error, also that of an access beyond
// the end of a truncated file.
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if p := panics.Catch(func() { err = f() }); p != nil {
		return &PanicError{value: p.Value}
	}
	return err
}

// IsPanic says whether an error was a panic.
func IsPanic(err error) bool {
	_, ok := errors.AsType[*PanicError](err)
	return ok
}

// AsDamage makes damage of a panic: before anything else was done, only a damaged page
// can cause one.
func AsDamage(err error) error {
	if IsPanic(err) {
		return Damagedf("%v", err)
	}
	return err
}
