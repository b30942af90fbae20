// Package clock is the tool current_time, because a model does not know the time by
// itself.
//
// It promises the time in any zone of the IANA database on every machine, also on one
// without the database: a copy (450 KB) is part of the program, and the machine's
// own, which may be newer, comes first. The clock is injected, so that tests hold it
// still.
//
// To add a tool about time: take the clock the same way and keep it read-only.
package clock
