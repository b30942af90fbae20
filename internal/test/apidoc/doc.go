// Package apidoc holds the HTTP API against its OpenAPI document, for tests: [Document.Client] checks
// each exchange that a test makes, and [Document.Bodies] are bodies that a route must take or refuse.
package apidoc
