package main

import (
	"fmt"
	"os"

	"parley/internal/tools/prose"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

func run() error {
	rooms, pages, err := prose.Tree(os.DirFS("."))
	if err != nil {
		return err
	}
	return prose.Print(os.Stdout, rooms, pages)
}
