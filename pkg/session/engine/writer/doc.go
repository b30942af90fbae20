// Package writer makes the changes of an engine durable: one writer, group commit.
//
// It promises:
//
//   - One transaction is under way at a time. It has every write that waits, so that the
//     writers of a moment share one sync of the disk. A write that finds no other runs
//     right where it is made.
//   - A write is answered after the commit. A write that fails its check, or spoils the
//     transaction, fails alone: its neighbours run again without it.
//   - Work that begins before its transaction is durable ([table.Speculation]) is published
//     after the commit, or rolled back.
//   - After a failed commit, which may have reached the disk all the same, the engine is
//     told to look again at everything that waits.
//   - A store that is found damaged is written no more.
package writer
