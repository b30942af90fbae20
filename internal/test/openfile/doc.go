// Package openfile keeps files open for tests, as programs do that a process is about to start.
package openfile
