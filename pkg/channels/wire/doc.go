// Package wire is what the adapters of platforms that are reached over HTTP share:
// clients with bounds, the difference between what was sent and what was not, the
// pauses between attempts, the state of taking in, and the server for platforms
// that call back.
//
// It promises that nothing here waits, reads or grows without a bound, and that an
// [*Error] never hides whether the platform may have got a request: [Error.Sent].
// What a failure means for a message is the adapter's to say.
package wire
