// Package promises reads docs/promises.md, the table that names for each
// promise of Parley the tests that show it, and says after a test run which
// promises that run showed.
//
// What it promises: a row that names no test, a name that is written wrong and
// a need that nobody can check are errors of the table; a row counts as shown
// only when each of its tests ran and passed with nothing skipped below it.
//
// To add a promise: add a row to the table. To add a kind of need: add it to
// [Needs].
package promises
