// Package modeldocs writes the generated parts of docs/models.md: the configurations in
// configs, the table of kinds, and the table that a check of the scripted server of
// each kind prints.
//
// It promises that the same tree gives the same page on every machine. A test at the
// root fails when the committed page differs; make docs writes it anew.
//
// To show how one more kind is connected: a configuration in configs, and its line in
// the list of connections.
package modeldocs
