// Package mutants plants defects. Each [Mutant] breaks one promise of
// docs/promises.yaml by one small edit, and names the test that must turn red: a
// promise whose test stays green with the defect in place is not tested.
//
// It promises: the tree itself is never edited, only a scratch copy; a
// mutant whose text is no longer in the code, one that does not compile and a
// test that is red without the defect are errors, never kills. A [Ledger] keeps the
// verdicts, so that the next run goes on where one ended, and begins with the mutants
// whose file or test has changed.
//
// To add a mutant: add it to the list of its room in list_*.go. The test of this
// package says when an edit no longer fits the code.
package mutants
