// Command print tells how many bytes of the given program come from which module. The
// program must be linked with its table of symbols.
package main
