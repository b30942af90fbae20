// Package approval asks people about calls. A call that a person has to allow does not
// run: the [tools.Gate] of its turn stores the question with the call's result for now, and
// the turn ends. The decision of a person or of the operator is an item of its own, and
// that item's turn runs the stored call.
//
// [Approvals] promise:
//
//   - A call that is allowed runs once, and only while it would do what the question
//     showed, for the person who asked for it, with the lower of their rights then and now.
//   - The first decision on a question counts. One that does not count says why.
//   - A question can be answered for [Time], and a clock that is put back gives it no more.
//   - Each question that is put, and each answer to one, is an [Event] with a typed
//     [Outcome] for the record.
package approval
