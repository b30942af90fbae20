// Package kinds is the table of model servers and model families that speak the
// OpenAI protocol, each with its deviations from it.
//
// It promises:
//
//   - [Of] joins the row of a server with the row of a model's family. The server is
//     known by its address, the family by the model's name; a configuration may name
//     a row instead of either.
//   - An unknown server and an unknown model have the traits of the protocol itself.
//   - A row is data. The request and the answer follow it; no code asks for a name.
//
// To add a server or a family: one row in servers.go or families.go, its scripted
// server in internal/test/kindserver, and make docs, which writes the row into
// docs/models.md.
package kinds
