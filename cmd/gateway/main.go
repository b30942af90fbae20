package main

import (
	"context"
	"os"

	"github.com/rs/zerolog"

	"parley/pkg/documents"
	"parley/pkg/sandbox"
)

func main() {
	sandbox.Main()                                             // takes over where the gateway starts itself to run a program
	documents.Main()                                           // takes over where it starts itself to parse a document
	zerolog.DurationFieldFormat = zerolog.DurationFormatString // with the unit: 1m30s
	os.Exit(execute(context.Background(), newHost(os.Args[1:])))
}
