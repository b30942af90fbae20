//go:build !linux

package footprint

// ReleaseProgram does nothing: only Linux tells how to do it.
func ReleaseProgram() {}
