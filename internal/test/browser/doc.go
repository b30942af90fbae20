// Package browser tries the page in a real Chromium: the gateway as a process, a scripted model
// server, and a person who clicks and types.
//
// It is a module of its own, so that the program and its quick tests need no driver of a browser:
// `go test .` in this folder runs it, as .ci/run does. It needs chromium, or the program that
// PARLEY_CHROMIUM names. PARLEY_SCREENS names the folder for the pictures that the tests take,
// PARLEY_PICTURE the file for the picture of README.md, which make docs writes.
package browser
