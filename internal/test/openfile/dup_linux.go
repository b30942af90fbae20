package openfile

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// Dup keeps this process's open file of a path open until the test ends: a program that this process starts
// has it likewise, from the fork until it begins.
func Dup(t *testing.T, path string) {
	t.Helper()
	const open = "/proc/self/fd"
	entries, err := os.ReadDir(open)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range entries {
		if at, err := os.Readlink(filepath.Join(open, e.Name())); err != nil || at != path {
			continue
		}
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		again, err := syscall.Dup(fd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Close(again) })
		found = true
	}
	if !found {
		t.Fatalf("%s is not open", path)
	}
}
