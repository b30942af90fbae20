//go:build !linux

package gateway

// releaseProgram does nothing: only Linux tells how to do it.
func releaseProgram() {}
