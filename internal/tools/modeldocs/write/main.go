package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"parley/internal/tools/modeldocs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) //nolint:forbidigo // main
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "modeldocs:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

func run(ctx context.Context) error {
	old, err := os.ReadFile(modeldocs.Page)
	if err != nil {
		return errors.New("run it at the root of the tree: " + err.Error())
	}
	text, err := modeldocs.Fill(ctx, string(old))
	if err != nil {
		return err
	}
	const file = 0o644
	return os.WriteFile(modeldocs.Page, []byte(text), file) //nolint:gosec // a page of this tree
}
