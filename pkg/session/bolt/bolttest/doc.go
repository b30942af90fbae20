// Package bolttest changes the closed store file of a state directory as an earlier
// build, or another program, would leave it. Tests use it.
package bolttest
