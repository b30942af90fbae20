// Command check judges a run of the tests: it reads the output of go test -json on its
// standard input, prints the lines of a plain go test, and then which promises of the
// given table the run did not show, and why.
//
//	go test -json ./... | go run ./internal/tools/promises/check docs/promises.yaml
//
// It promises to fail when a test failed, when a promise is broken and when the table
// is wrong; with PARLEY_PROMISES_STRICT set also when a promise was not run although
// its needs are here.
//
// To add a promise or a kind of need: see package promises.
package main
