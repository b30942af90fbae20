// Package tasks is the tool by which a model sees what runs in the background of its
// chat, and ends it.
//
// It promises to name and end nothing of another chat: what there is, and who may end
// it, is said by its [Book].
//
// To let it do more: add an action to its arguments and to the Book.
package tasks
