// Command write makes the pages of docs/tools in the tree in the working folder.
package main
