// Package rig builds the gateway and runs it as a process of its own, for the
// suites that kill it and the benchmarks that measure it.
//
// It promises that a gateway it started is dead when [Process.Kill] returned or
// the starting process has ended, and that the gateway sees only the
// environment that it was given.
package rig
