// Package mutants plants defects. Each [Mutant] breaks one promise of
// docs/promises.yaml by one small edit, and names the test that must turn red: if it
// stays green with the defect in place, the promise is not tested.
//
// It promises: only a scratch copy of the tree is edited; a mutant without its text in
// the code, one that does not compile and a test that is red without the defect are
// errors, not kills. Neither is a test that reaches its time limit, because a busy
// machine may be the reason; builds do not count against the limit. A [Ledger] keeps the
// verdicts, so that the next run goes on where one ended, and begins with the mutants of
// changed files and tests.
//
// To add a mutant: add it to the list of its room in list_*.go. The test of this
// package says when an edit no longer fits the code.
package mutants
