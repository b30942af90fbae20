// Package loglines checks the log of a gateway in tests: each line is one JSON object
// with each key once.
package loglines
