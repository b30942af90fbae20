// Package sessiontest is the suite that every [session.Engine] passes. It shows each
// promise of package session on a real engine: on one that stays open, on one that was
// closed and opened again, and on one of a dead process.
//
// To use it, call [Run] from a test of the engine's package. An engine that has
// a method Crash, which gives the store up as a killed process would, is tested
// over crashes too; for another one these tests are skipped.
package sessiontest
