// Package panics keeps a panic from ending the process: [Catch] where a fault of one part is an
// error of its caller, [Watch] where other code may end the goroutine as well.
//
// It promises that the function returns with the panic and its stack, which the caller logs or turns
// into an error. A fault that ends the process cannot be caught: a panic in another goroutine, or
// memory that ran out. It imports no other room, and every room may import it.
package panics
