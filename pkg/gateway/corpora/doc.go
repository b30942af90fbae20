// Package corpora makes the corpora of a gateway from its configuration: the library that indexes
// their folders, and which chat has which of them.
//
// It promises that a chat has the corpora alone whose chats name it, under any of the addresses that
// it is known by; that no file of a corpus is read whose name usually holds secrets; and that the
// prompt of a chat names its corpora and roots in the same words in each turn.
package corpora
