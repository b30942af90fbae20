// Command write makes docs/promises.md from docs/promises.yaml and the list of
// mutants, in the tree in the working folder.
package main
