// Package strictyaml reads one YAML document into a Go value and lists everything that
// is wrong with it, each problem with its line, its column, its key and a cure.
//
// It promises:
//
//   - No text costs more than its size: nesting, keys and prefixes are bounded before
//     the parser sees them, and a panic of the parser is an error.
//   - Unknown and repeated keys, wrong types, invisible characters, anchors, aliases and
//     tags are problems. All problems are found in one walk.
//   - A problem repeats no text in the wrong place, which may be a secret.
//
// The struct tags are yaml (the key), jsonschema (enum, minimum, maximum), min and max
// (of a time span) and text:"lines" (prose).
package strictyaml
