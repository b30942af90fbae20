package panics

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic as an error. Value is nil where the goroutine was ended without one.
type Error struct {
	Value any
	// Stack is that of the goroutine at the panic. It belongs in the log alone.
	Stack []byte
}

// Error tells the value; it may hold text that has to be redacted.
func (e *Error) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Catch runs f and returns its panic, or nil if it returned.
func Catch(f func()) (caught *Error) {
	defer func() {
		if v := recover(); v != nil {
			caught = &Error{Value: v, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}

// Watch runs f and then done, with nil if f returned. Otherwise f panicked or ended its goroutine
// with [runtime.Goexit]; a panic goes no further, and the end of the goroutine does.
func Watch(f func(), done func(failed *Error)) {
	returned := false
	defer func() {
		if returned {
			done(nil)
			return
		}
		done(&Error{Value: recover(), Stack: debug.Stack()})
	}()
	f()
	returned = true
}
