// Package promises reads docs/promises.yaml, which names for each promise of Parley
// the tests that show it, makes docs/promises.md from it for people, and tells after
// a test run which promises that run showed.
//
// It promises that a promise without a test or without a reason of its own, a name that
// is written wrong and a need that cannot be checked are errors of the file; a promise
// counts as shown only when each of its tests ran and passed and no subtest was skipped.
//
// To add a promise: add it to the file and run make docs. To add a kind of need: add
// it to [Needs] and to the command check.
package promises
