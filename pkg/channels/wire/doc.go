// Package wire is shared by the adapters of platforms that are reached over HTTP:
// clients with bounds, the difference between sent and unsent requests, the pauses
// between attempts, the state of receiving, the server for platforms that call back,
// and the events that an adapter cannot use.
//
// It promises that every wait, read and growth is bounded, and that an [*Error]
// always tells whether the platform may have got a request: [Error.Sent]. The adapter
// decides the effect of a failure on a message.
package wire
