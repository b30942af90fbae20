package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"parley/internal/tools/retrieval/part"
)

// limit bounds the whole command.
const limit = time.Hour

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, limit)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(1)
	}
}

// errMissed says that a figure is beyond its bound.
var errMissed = errors.New("a figure misses its bound")

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 3 && (args[0] == part.Build || args[0] == part.Search) {
		return part.Run(ctx, args, out, engines()[args[1]])
	}
	flags := flag.NewFlagSet("retrieval", flag.ContinueOnError)
	data := flags.String("data", "bin/retrieval", "the folder of the material and the indexes")
	only := flags.String("only", "", "quality or speed")
	reps := flags.Int("reps", 3, "repetitions of each build")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := collections(ctx, *data)
	if err != nil {
		return err
	}
	var missed error
	if *only != "speed" {
		missed = errors.Join(missed, quality(ctx, *data, all, out))
	}
	if *only != "quality" {
		missed = errors.Join(missed, speed(ctx, *data, all, *reps, out))
	}
	return missed
}
