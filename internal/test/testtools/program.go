package testtools

import (
	"os"
	"syscall"
)

// WriteProgram writes a program that a test runs. No other test of the process starts
// a program meanwhile: its child would hold the open file for a moment, and the system
// refuses to run a file that is open for writing ("text file busy").
func WriteProgram(path, text string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o700) //nolint:gosec // a program
}
