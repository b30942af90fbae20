// Package output makes texts of tools fit to be stored, logged and shown to a model:
// within a bound, valid UTF-8, and without secrets or the arguments of the call.
package output
