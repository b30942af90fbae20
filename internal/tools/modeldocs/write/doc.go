// Command write makes the generated parts of docs/models.md in the tree in the working
// folder.
package main
