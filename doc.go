// Package parley is the root of the module and holds no code: its tests are the
// rules of the tree as a whole. They check which room may import which, how long a
// line, a file, a function and a package may be and how much a type may hold, that
// every promise in docs/promises.yaml names a test that exists, that the release
// binary stays small and free of test code, and that the walk-throughs of
// docs/extending.md work as written.
package parley
