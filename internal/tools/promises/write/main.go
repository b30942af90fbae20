package main

import (
	"fmt"
	"os"

	"parley/internal/tools/mutants"
	"parley/internal/tools/promises"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "promises:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

func run() error {
	doc, err := os.Open(promises.File)
	if err != nil {
		return err
	}
	defer func() { _ = doc.Close() }()
	parts, err := promises.Parse(doc)
	if err != nil {
		return fmt.Errorf("%s: %w", promises.File, err)
	}
	return os.WriteFile(promises.Page, []byte(promises.Write(parts, mutants.Counts())), 0o644) //nolint:gosec // a page for everybody
}
