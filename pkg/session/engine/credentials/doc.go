// Package credentials keeps the tokens of programs.
//
// It promises that the store has the hash of a secret alone, that a token is found by its
// whole secret, that a change counts when the call returns, also for work under way, whose
// context ends, and that a damaged record lets no program in.
package credentials
