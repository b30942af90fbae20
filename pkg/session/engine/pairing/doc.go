// Package pairing keeps who asked to be let in by a code, and who was.
//
// It promises that a person has one code at a time, that the codes of one account are
// bounded and never take places of another's, that strangers who never came back leave no
// chat behind, and that a change of who is paired counts when the call returns.
package pairing
