package policy

// The fixed texts that people read of a decision; a translation replaces this file.

// Why a person is asked before a call: clauses that follow "because".
const (
	textReasonAlways       = "such calls always ask"
	textReasonExecutes     = "it runs a program"
	textReasonDestroys     = "it overwrites or deletes"
	textReasonChanges      = "it changes something"
	textReasonChangesAfter = "it changes something after content from outside was read"
	textReasonReachesAfter = "it reaches a new address after content from outside was read"
	textReasonStep         = "its step %s is asked about: %s"
)
