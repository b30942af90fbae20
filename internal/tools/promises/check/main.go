package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"parley/internal/tools/promises"
	"parley/pkg/sandbox"
)

func main() {
	sandbox.Main()
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: go test -json ./... | check docs/promises.yaml")
	}
	doc, err := os.Open(args[0]) //nolint:gosec // the caller's own table
	if err != nil {
		return fmt.Errorf("open the table: %w", err)
	}
	defer func() { _ = doc.Close() }()
	parts, tableErr := promises.Parse(doc)
	// The whole run is read first: the lines of go test come before those of the table.
	result, err := promises.Read(stdin, stdout)
	if err := errors.Join(err, tableErr); err != nil {
		return err
	}
	lacks := func(string) bool { return true }
	if os.Getenv("PARLEY_PROMISES_STRICT") != "" { //nolint:forbidigo // a setting of the command
		lacks = missing
	}
	return result.Report(stdout, promises.Rows(parts), lacks)
}

// missing says whether this machine lacks a need of a row of the table.
func missing(need string) bool {
	switch need {
	case "corpora":
		info, err := os.Stat(os.Getenv("PARLEY_CORPORA")) //nolint:gosec,forbidigo // the caller's own folder
		return err != nil || !info.IsDir()
	case "npm":
		_, err := exec.LookPath("npm")
		return err != nil || os.Getenv("PARLEY_CLIENTS") == "" //nolint:forbidigo // it is the tester's to let npm fetch
	case "root":
		return os.Geteuid() != 0
	case "linux":
		return runtime.GOOS != "linux"
	case "cgroup":
		return sandbox.Claimable() != nil
	case "sandbox":
		return sandbox.New(sandbox.Options{}).Available() != nil
	default:
		_, err := exec.LookPath(need)
		return err != nil
	}
}
