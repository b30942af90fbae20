// Package program is what the tools that run programs share: where one runs, how
// it is shown to the person who is asked, and how its end is told.
//
// What it promises: a folder is inside the chat's space, whatever links lead to;
// what is shown says exactly one thing, with nothing invisible in it; a
// fingerprint changes when what it was taken of is replaced.
package program
