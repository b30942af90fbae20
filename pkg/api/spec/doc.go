// Package spec has the OpenAPI document of the routes for programs, and serves it.
//
// The document is kept by hand in the files of the folder document, which are put together: each has
// paths and components. A media type text/event-stream names the schema of the data of each event in
// x-events; "message" is an event without a name, "*" is any other, and x-end is data that ends a stream.
// A parameter of a path with x-slashes is all the rest of the path.
//
// To add a route: write its path into the file of its room, with each field that the handler reads and
// each status that it answers. A test of the gateway holds the routes of the server against the
// document in both directions, and the tests of the rooms hold each of their exchanges against it.
package spec
