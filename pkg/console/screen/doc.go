// Package screen writes to a terminal without taking it over: lines that stay above, and a frame
// of a few rows at the end that changes. What scrolls out is the terminal's own, so that its search,
// its scrollback and its copying work.
//
// It promises:
//
//   - The frame never covers a line above it, and is never left behind by a change of it.
//   - A row stands in one row of the terminal, also where the terminal counts its columns
//     differently: it is cut there.
//   - After a change of the width the frame is drawn anew where it stood. The terminal is taken to
//     wrap the rows that have become too long, as all do that people use today but a few, see
//     [Reflows].
//   - All that is drawn at a time is one write.
//
// The caller hands over texts that are safe to write, see package ansi, and keeps all rows shorter
// than the terminal is wide.
package screen
