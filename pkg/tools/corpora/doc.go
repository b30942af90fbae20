// Package corpora is the tools search_corpus and list_corpora, by which a model finds passages in the
// folders of documents that the operator gave its chat.
//
// It promises:
//
//   - A call reads the corpora of its own chat. The name of another one gets the same answer as a
//     name that no corpus has.
//   - A passage comes with its corpus, file, heading, lines and score; an answer has a bounded size.
//     Secrets are redacted before a text is cut.
//   - A passage, or the name of a file, from a corpus that the operator does not trust taints the turn.
//   - The searches of one chat leave places for those of others.
package corpora
