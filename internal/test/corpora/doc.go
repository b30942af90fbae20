// Package corpora finds the test material that is too large, or not ours, to be
// part of the tree: PARLEY_CORPORA names its folder.
//
// It promises that a test without that folder is skipped and says so, and that
// one which has the folder but not the file fails.
//
// To use one more corpus: name its path below the folder in a test, and write
// corpora into the last column of the test's row in docs/promises.yaml.
package corpora
