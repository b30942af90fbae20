// Package openat opens files and folders in places that other programs can write:
// above all in a chat's space. It checks each file after opening it, so that no other
// file can take its place in between, and its calls do not wait for the other end of
// a pipe.
//
// [File] and [Folder] are for a space: no part of a name may be a link. [Linked] and
// [LinkedFolder] follow links that stay below the root. [Own] is for the operator's
// files, whose links may lead anywhere, [Root] for the operator's folders, and [Append] for a log
// of ours.
package openat
