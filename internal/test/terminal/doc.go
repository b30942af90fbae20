// Package terminal drives the console in a real terminal: a window of tmux, of which the tests read
// what a person would see. Its tests hold screens against text, with keys pressed as people do.
//
// Times on a screen are written in one form, so that screens can be compared: see [Terminal.Screen].
package terminal
