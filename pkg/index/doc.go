// Package index finds passages by their words: BM25 over the documents of scopes, in one file. It
// is made for the histories of chats and for folders of documents.
//
// A [Document] is a page, a file or a message. It belongs to a scope, a chat or a corpus, and is found
// in passages (parley/pkg/index/passage) by their terms (parley/pkg/index/words). [Index.Update] puts and
// removes documents, [Index.Search] finds them.
//
// It promises:
//   - A search reads the scopes that it names. Words, statistics and order of all others have no part
//     in its result.
//   - A process that is killed at any byte of a write leaves an index that opens as it was before the
//     update or after it. The file is derived data: one that is damaged, or of another version, is
//     found out, and begins anew. No byte is used whose checksum is wrong; a hostile file gives an error,
//     and takes memory in proportion to its size at most.
//   - After [Index.Purge] the file is, byte for byte, one into which the removed documents were never
//     put.
//   - Searches run beside an update, and each sees one state.
//   - Its memory does not grow with the index, apart from a search, which takes some 20 bytes for each
//     passage in the scopes that it names, and a merge, which takes some 10.
//
// The file begins with two slots, which tell in turn where the newest manifest is, and goes on with
// segments and manifests. A commit appends a segment and a manifest, waits for the disk, and writes the
// other slot. A segment has a section for each scope that changed: tables of its documents and of its
// terms with their postings, the lengths of its passages, their compressed texts, and the documents of
// older segments that are gone. Eight segments of a level become one of the next; a file of which half is
// out of use is made anew. A changed form of the file or of the terms needs another letter in its magic.
package index
