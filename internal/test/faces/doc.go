// Package faces runs a whole agent behind its HTTP server in the process of a test: a real
// store, the channel web, the hub of events, a model that is a function, and the faces that
// the test gives the server.
//
// It promises that everything has ended when the test has, and that each wait is bounded.
package faces
