// Package bolt is the embedded engine: one bbolt file in the state directory.
package bolt
