// Package program is shared by the tools that run programs: the folder of a run, its
// question to a person, and the report of its end.
//
// It promises: a folder is inside the chat's space, whatever links lead to; a shown
// text has exactly one meaning and no invisible characters; a fingerprint changes
// when its source is replaced.
package program
