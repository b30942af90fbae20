// Package named finds a task or a job by the name that a person types: a line of a list
// is taken with its quotation marks, and case is ignored. Where several have the name,
// the error lists their ids. It also names people, as others are told of them.
package named
