// Package tooldocs makes the pages of docs/tools from the tools themselves: it
// builds the gateway, switches every built-in tool on, and asks it for the page
// of each, as gateway tool show prints it.
//
// It promises that the same tree gives the same pages on every machine. A test at the
// root fails when the committed pages differ.
//
// A tool that a gateway offers gets its page by itself: run make docs. One that
// needs a setting to be offered needs that setting in the configuration here.
package tooldocs
