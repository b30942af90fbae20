package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"parley/internal/tools/tooldocs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) //nolint:forbidigo // main
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tooldocs:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

func run(ctx context.Context) error {
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run it at the root of the tree")
	}
	pages, err := tooldocs.Pages(ctx)
	if err != nil {
		return err
	}
	return tooldocs.Write(tooldocs.Dir, pages)
}
