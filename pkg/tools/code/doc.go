// Package code is run_code: a few lines of Python or JavaScript that the model wrote,
// run in the sandbox.
//
// It promises: a person is asked about every run, and sees all of the code; it runs
// with the interpreter that was found when the gateway started, which ignores
// preloads from the environment or files.
//
// To add a language: add it to languages.
package code
