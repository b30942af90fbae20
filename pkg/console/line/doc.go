// Package line is the text that a person is typing: its characters as people see them, the cursor
// in it, the ways to change it, and how it is laid out in rows.
//
// It promises:
//
//   - A character is a grapheme, whatever code points and columns it has: the cursor never stands
//     inside of one, and one backspace takes one away.
//   - A large paste and a file are one character each, shown by a label, and as a whole again in
//     [Line.Text] and [Line.Files].
//   - Rows are never wider than asked for.
//   - The texts that it knows for undoing and for putting back are bounded.
package line
