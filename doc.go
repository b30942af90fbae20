// Package parley is the root of the module and holds no code: its tests are the
// rules of the tree as a whole. They check who may import whom, how long a file
// and a function may be, that every promise in docs/promises.md names a test
// that exists, that the release binary stays small and free of test code, and
// that the walk-throughs of docs/extending.md work as written.
package parley
