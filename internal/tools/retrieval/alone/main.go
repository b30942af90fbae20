package main

import (
	"context"
	"fmt"
	"os"

	"parley/internal/tools/retrieval/part"
)

func main() {
	if err := part.Run(context.Background(), os.Args[1:], os.Stdout, part.OpenParley); err != nil {
		fmt.Fprintln(os.Stderr, "alone:", err)
		os.Exit(1)
	}
}
