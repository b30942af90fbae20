// Command check says what a run of the tests showed: it reads the output of
// go test -json on its standard input, prints what go test would have printed,
// and then which promises of the given table the run did not show, and why.
//
//	go test -json ./... | go run ./internal/tools/promises/check docs/promises.yaml
//
// It promises to fail when a test failed, when a promise is broken and when the
// table is wrong; with PARLEY_PROMISES_STRICT set also when a promise was not run
// although what it needs is here.
//
// To add a promise or a kind of need: see package promises.
package main
