// Package composed makes tools of fixed sequences of calls to other tools.
//
// It promises that a sequence has the rights of its caller and no more: every step is
// checked like a call of its own, and ends the sequence when it fails. The question
// to a person shows all steps, before the first; if a step uses the result of an
// earlier one, it shows that. The registry bounds how deep sequences may call each
// other.
//
// For a decision between two steps, use the agent instead.
package composed
