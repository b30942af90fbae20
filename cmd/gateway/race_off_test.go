//go:build !race

package main_test

// buildFlags build the gateway as the test was built.
func buildFlags() []string { return nil }
