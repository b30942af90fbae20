package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"parley/internal/tools/sizes"
)

// shown is how many modules have a line of their own.
const shown = 15

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) //nolint:forbidigo // main
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1) //nolint:forbidigo // main
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: print PROGRAM")
	}
	list, err := goTool(ctx, "version", "-m", args[0])
	if err != nil {
		return err
	}
	modules, err := sizes.Modules(bytes.NewReader(list))
	if err != nil {
		return err
	}
	if len(modules) == 0 {
		return fmt.Errorf("%s names no module: build it with module support", args[0])
	}
	symbols, err := goTool(ctx, "tool", "nm", "-size", args[0])
	if err != nil {
		return err
	}
	all, err := sizes.Sum(bytes.NewReader(symbols), modules)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("no symbols: link the program without -s")
	}
	var rest int64
	for i, m := range all {
		if i < shown {
			fmt.Fprintf(os.Stdout, "%8d kB  %s\n", m.Bytes/1000, m.Path)
		} else {
			rest += m.Bytes
		}
	}
	_, err = fmt.Fprintf(os.Stdout, "%8d kB  %d others\n", rest/1000, max(0, len(all)-shown))
	return err
}

func goTool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the go command, on the caller's own program
	cmd.Stderr = os.Stderr
	return cmd.Output()
}
