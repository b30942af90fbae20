// Package tasks is the tool by which a model lists and ends the background tasks of
// its chat.
//
// It promises to name and end tasks of its own chat only: its [Book] lists them, and
// decides on the right to end one.
//
// To let it do more: add an action to its arguments and to the Book.
package tasks
