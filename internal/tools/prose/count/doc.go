// Command count prints how often the prose of the tree in the working folder, its
// comments and pages, uses two habits that make it hard to read.
package main
