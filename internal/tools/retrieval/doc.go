// Command retrieval measures how well and how fast Parley's index finds, beside SQLite's FTS5 and
// bleve, in one run on the same material: Debian's manual pages in six languages, with the NAME line
// as the query and the page without it as the document, and the changelogs of the installed packages
// as chats, with the first line of an entry as the query. `make retrieval` runs it.
//
// It is a module of its own, so that the program needs none of what it is compared with. It fetches
// the pages with apt-get, once, and needs dpkg-deb.
package main
