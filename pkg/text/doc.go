// Package text writes the small things that many rooms show: a shortened text, an
// age, a file's name and its size. Each has one form in the whole program.
//
// It promises that a shortened text ends in whole characters and that its result is
// valid where its argument is. It imports no other room, and every room may import it.
package text
