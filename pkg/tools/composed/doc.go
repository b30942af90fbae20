// Package composed makes tools of fixed sequences of calls to other tools.
//
// It promises that a sequence has the rights of its caller and no more: every step
// is checked like a call of its own, and ends the sequence when it fails. What a
// person is asked about shows all steps, before the first; where a step uses the
// result of an earlier one, it shows that. How deep sequences may call each other
// is bounded by the registry.
//
// A sequence that needs a decision between its steps is none: let the agent decide.
package composed
