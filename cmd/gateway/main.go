package main

import (
	"context"
	"os"

	"parley/pkg/sandbox"
)

func main() {
	sandbox.Main() // takes over where the gateway starts itself to run a program
	os.Exit(execute(context.Background(), newHost(os.Args[1:])))
}
