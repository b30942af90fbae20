// Package openat opens files and folders that lie where programs of others write:
// in a chat's space, first of all. All that is opened is looked at after it was
// opened, so that nothing can take its place in between, and no call here waits for
// the other end of a pipe.
//
// [File] and [Folder] are for what lies in a space: no part of a name may be a link.
// [Linked] and [LinkedFolder] follow links that stay below the root. [Own] is for the
// operator's files, whose links may lead anywhere, and [Append] for a log of ours.
package openat
