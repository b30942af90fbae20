// Package data is the tool format_data: it checks data in JSON, YAML, XML or CSV,
// lays it out, and converts it from one into another.
//
// It promises:
//
//   - Numbers keep all their digits, and keys their order. A value that a format
//     cannot carry (a tag of YAML, a name that XML does not allow) is refused instead
//     of dropped; comments go in every conversion but from XML to XML.
//   - A mistake is reported with its line and column.
//   - No data costs more than its size: 256 KiB, 100 levels and 100,000 values at
//     most, aliases counted as their values. XML entities other than the five of the
//     language are refused, and so are document types.
//
// To add a format: write its two directions, from text to [value] and back, in a file
// of its own, and name it in convert.
package data
