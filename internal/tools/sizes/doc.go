// Package sizes tells how many bytes of a program come from which Go module.
//
// It promises to count the code and the constants that the linker's table of symbols
// names, each once; the tables that the linker makes for the whole program, and data
// that a process fills itself, belong to no module.
package sizes
