// Package providertest is the conformance suite of providers: what package
// providers promises of an LLMProvider, whatever its wire protocol.
//
// A provider's test calls [Run] with a function that sets up a model that behaves
// in a given way, real server and all. To add a promise: a [Behaviour] if it
// needs one of its own, and a check.
//
// A provider over HTTP passes [RunHTTP] as well. Its test describes the wire: how an
// answer, a refusal and an error within a stream are written, and how a request is read.
// The suite then has servers cut, break, delay, repeat and prolong answers, counts the
// time on a fake clock, and reads the requests. To add a check: a function of a file
// http_*.go, and its line in RunHTTP.
package providertest
