// Package report judges figures and prints them as a Markdown table.
//
// It promises that a figure which misses its bound, or could not be measured,
// makes [Table.Print] return [ErrMissed].
package report
