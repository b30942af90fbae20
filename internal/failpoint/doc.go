// Package failpoint marks the places where a test kills the process. Without the build
// tag "failpoint" every call is empty and free.
//
// With it, the environment variable PARLEY_FAILPOINT=NAME:N makes the N-th Hit
// of NAME end the process with SIGKILL, and PARLEY_FAILPOINT_LOG names a file
// to which the first hit of each point is written before.
package failpoint
