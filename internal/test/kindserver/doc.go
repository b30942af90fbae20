// Package kindserver has a scripted server for each row of the table of model kinds.
//
// It promises that each server refuses what the real one refuses, as the platforms'
// documents and their users report it, and answers in its manner: calls in pieces or
// whole, reasoning in its own field, a tool_choice that is obeyed, overlooked or
// refused. Its rules are written down apart from the table that they test.
//
// To add one: a rule in rules.go under the row's name.
package kindserver
