package table

import (
	"crypto/sha256"
	"strconv"

	"parley/pkg/session"
)

// FactID is the short id of a fact: the end of its number, which people can type.
func FactID(n uint64) string {
	const most = 5
	s := strconv.FormatUint(n, 36)
	return "f" + s[max(0, len(s)-most):]
}

// FactKey is the key of a fact: the chat where it was told, and its number.
func FactKey(f *session.Fact) []byte {
	chat, err := ParseID("c", f.Chat)
	if err != nil {
		chat = 0
	}
	return NumKey(chat, f.Number)
}

// FactOwner is the head of the keys by which the facts of a person are listed.
func FactOwner(person string) []byte {
	sum := sha256.Sum256([]byte(person))
	return sum[:]
}

// FactOfKey is the key by which a fact is listed by its person.
func FactOfKey(f *session.Fact) []byte { return append(FactOwner(f.Person), FactKey(f)...) }
