// Package isolate gives every call of a tool the value that it runs on, so that facts
// of one call that a tool stores in its fields reach no other call.
//
// It promises: two calls do not write to one value at the same time, and a panic of a
// tool's own code while a value is made is an error.
package isolate
