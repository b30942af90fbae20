package table

import (
	"crypto/sha256"
	"strconv"

	"parley/pkg/session"
)

// FactID is the id of a fact, by its number.
func FactID(n uint64) string { return "f" + strconv.FormatUint(n, 36) }

// FactKey is the key of a fact: the chat where it was told, and its number.
func FactKey(f *session.Fact) []byte {
	n, err := ParseID("f", f.ID)
	if err != nil {
		n = 0
	}
	chat, err := ParseID("c", f.Chat)
	if err != nil {
		chat = 0
	}
	return NumKey(chat, n)
}

// FactOwner is the head of the keys by which the facts of a person are listed.
func FactOwner(person string) []byte {
	sum := sha256.Sum256([]byte(person))
	return sum[:]
}
