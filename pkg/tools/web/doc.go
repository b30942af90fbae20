// Package web holds the tools that search and read the web: web_search and web_fetch.
//
// It promises:
//
//   - An address that a model, a person or a page chose leads to the public internet
//     only. Its spelling is checked before any request, the dialler itself checks the
//     address of the connection, and both checks are repeated at every redirect. So no
//     spelling, name server or redirect leads to loopback, private networks or a
//     metadata service, unless the operator allowed that one by name. Proxy variables
//     are ignored.
//   - The limits bound the cost of a page: bytes that travel, bytes that are
//     unpacked, elements, depth, time. The answer says that it leaves out the rest.
//     One page is converted at a time.
//   - The answer is text: without control characters and without invisible ones, and a part
//     of a page has no part of a secret that [Options].Redact knows.
//   - A search server that the operator configured is asked over a client of its own;
//     its answer is as untrusted as any page. Errors do not contain a key.
//
// Both tools only read, and both return untrusted content. Web_fetch tells beforehand
// which address it would reach ([tools.Examiner]).
//
// To add a search server: write its backend beside brave.go, name it in newBackend,
// and let the configuration choose it.
package web
