// Package web holds the tools that search and read the web: web_search and
// web_fetch.
//
// What it promises:
//
//   - An address that a model, a person or a page chose leads to the public
//     internet only. What it is written as is checked before anything is looked
//     up, what is really dialled is checked by the dialler itself, and both again
//     at every redirect: no spelling, no name server and no redirect leads to
//     loopback, private networks or a metadata service, unless the operator
//     allowed that one by name. No proxy variable is heeded.
//   - A page costs what its limits say: bytes that travel, bytes that are
//     unpacked, elements, depth, time. What was left out is said. One page is
//     converted at a time.
//   - What comes back is text: no control characters, no invisible ones.
//   - A search server that the operator configured is asked over a client of its
//     own; what it answers is as untrusted as any page. No error holds a key.
//
// Both tools only read, and both bring in content that others wrote. Web_fetch
// tells beforehand which address it would reach ([tools.Examiner]).
//
// To add a search server: write its backend beside brave.go, name it in
// newBackend, and let the configuration choose it.
package web
