package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(execute(context.Background(), newHost(os.Args[1:])))
}
