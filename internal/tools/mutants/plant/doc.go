// Command plant says whether the tests find the defects that they are there to find: it
// plants each defect of package mutants in a scratch copy of the tree in the working
// folder, runs the named test there, and prints per promise whether the test turned
// red.
//
//	go run ./internal/tools/mutants/plant [REGEXP...]
//
// Each argument is a regular expression that chooses by promise, file or test.
//
// It promises that the tree itself is left alone, that every defect is planted alone,
// and that it fails when one was not found, could not be planted, or no defect fits the
// arguments.
//
// To add a defect: see package mutants.
package main
