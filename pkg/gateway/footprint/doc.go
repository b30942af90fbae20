// Package footprint keeps the memory of a gateway small: how far the heap may grow, when memory
// goes back to the machine, and which pages of the program's own file leave the process.
//
// It promises:
//   - A heap at rest grows by little before it is collected, and a busy one by more as long as it
//     stays small all the same ([Tune]). The limit of the memory moves up with what lives, so a
//     gateway that needs more has it.
//   - Pages of the program that are not as in its file stay ([ReleaseProgram]).
package footprint
