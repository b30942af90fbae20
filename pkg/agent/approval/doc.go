// Package approval has the terms of calls that wait for a person: an [Event] is a
// question that was put, or the answer to one, with a typed [Outcome] for the record, and
// [Headline] is the first sentence of a question.
package approval
