package admin

import (
	"errors"
	"io/fs"
	"syscall"

	"parley/pkg/session/bolt"
)

// The exit codes of commands; docs/operating.md explains them.
const (
	CodeFailed     = 1
	CodeUsage      = 2
	CodeInUse      = 3
	CodeNotRunning = 4
	CodeFaulty     = 5
)

// ExitError carries an exit code. With Silent set, the command has already printed the
// reason.
type ExitError struct {
	Code   int
	Silent bool
	Err    error
}

// Error implements error.
func (e *ExitError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ExitError) Unwrap() error { return e.Err }

// WithCode gives an error the exit code of the command that ends with it.
func WithCode(code int, err error) error { return &ExitError{Code: code, Err: err} }

// Failed gives an error the code of a failure, unless it has one already.
func Failed(err error) error {
	if _, ok := errors.AsType[*ExitError](err); ok || err == nil {
		return err
	}
	return WithCode(CodeFailed, err)
}

// StoreError gives an error of the store its exit code.
func StoreError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolt.ErrLocked):
		return WithCode(CodeInUse, err)
	case errors.Is(err, bolt.ErrDir):
		return WithCode(CodeUsage, err)
	default:
		return WithCode(CodeFailed, err)
	}
}

// unreadable gives an error of reading the audit log its cure and its exit code.
func unreadable(stateDir string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR) {
		return StoreError(bolt.LookError(AuditDir(stateDir), err))
	}
	return WithCode(CodeFailed, err)
}
