// Package kvtest is the suite of stores, [Run], with two stores for tests: [Memory],
// which keeps sorted keys in memory and loses a transaction that a crash finds
// unfinished, and [Recorder], which keeps the write set of each transaction of another
// store, so that a test can replay them into an empty one.
package kvtest
