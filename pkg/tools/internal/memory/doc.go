// Package memory keeps the results of one loop's calls that only read. A model that makes
// such a call again gets the same result without another run, and a line that says so.
//
// It promises: a result from memory is one that a run would give again. It is good
// while no call that may change something was run in the registry, in any chat, and until
// a message joins the turn. Changes by other processes do not count.
package memory
