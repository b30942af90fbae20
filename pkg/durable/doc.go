// Package durable writes files that outlast a crash of the machine: [Fill] and [Write] for files
// that are on disk when they return, [Replace] for a file that is there whole or not at all,
// [SyncDir] and [SyncRoot] for the names in a folder. [Unlock] gives a file's lock back.
//
// It promises that nil means on disk, that a file is closed whatever failed, and that Replace
// leaves the former file where it fails. A power cut may leave a file whose name ends with
// [Unfinished]; the next Replace overwrites it. A file that Replace makes can be read by the
// gateway's user alone. It imports no other room, and every room may import it.
package durable
