// Package schema compiles the JSON Schema of a tool's parameters and checks the
// arguments of calls against it.
//
// It promises:
//
//   - A check lists every problem with its path, not only the first one.
//   - A schema refers only to itself, and no other is loaded.
//   - A number keeps its value: a schema's bounds hold for the number as it was
//     written, also where no float64 gives it back.
//   - Arguments beyond the limits of size and depth are refused before they are walked.
package schema
