// Command alone builds or searches an index of Parley and tells its memory, without the code of the
// engines beside which command retrieval measures it: a process of that one has 16 MB of code.
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
