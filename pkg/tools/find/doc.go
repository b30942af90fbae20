// Package find is the tool find_tools, by which a model finds the other tools.
//
// It promises:
//
//   - It finds tools that its caller may use, and no other.
//   - A query of names finds these tools; any other finds those that have its words, or
//     forms of them, in their names, descriptions or parameters, the best first.
//   - A query that fits no tool is answered with the names of all.
package find
