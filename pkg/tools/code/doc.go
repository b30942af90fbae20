// Package code is run_code: a few lines of Python or JavaScript that the model
// wrote, run in the sandbox.
//
// What it promises: somebody is asked about every run, and sees all of the code;
// it runs with the interpreter that was found when the gateway started, without
// what the environment or files would have it load first.
//
// To add a language: add it to languages.
package code
