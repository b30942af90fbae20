// Package local puts the session engine over the one file of a state directory: it
// composes [parley/pkg/session/engine] and [parley/pkg/session/bolt] for a gateway on one
// machine.
//
// It promises that the engine takes snapshots of the file while the store changes, that a
// page which is found damaged is noted for the next start, and that closing the engine
// closes the file and gives up the lock of the directory.
package local
