// Package providertest is the conformance suite of providers: what package
// providers promises of an LLMProvider, whatever its wire protocol.
//
// A provider's test calls [Run] with a function that sets up a model that behaves
// in a given way, real server and all. To add a promise: a [Behaviour] if it
// needs one of its own, and a check.
package providertest
