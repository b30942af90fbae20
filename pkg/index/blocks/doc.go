// Package blocks is the static form of an index on disk: [Writer] writes blocks, streams and sorted
// tables one behind the other, and [Reader] reads them where they are, without holding them in
// memory.
//
// It promises that no byte is used whose checksum is wrong, and that no content of a file, whatever
// wrote it, makes the reader panic, run without an end, or take more memory than a file of that size
// can need: what is wrong is an error that wraps [ErrDamaged]. Places are relative to the begin of
// the reader, so that a part of a file can be copied to another place as it is.
package blocks
