// Package counts counts the calls of one tool: how each ended and how long it took.
package counts
