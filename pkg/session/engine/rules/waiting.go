package rules

import (
	"bytes"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// maxWaiting bounds the items that Waiting gives: so many at the front, and so many of the others.
const maxWaiting = 100

// Waiting are the items in a chat's inbox from seq on: the first ones, and of the others those that are
// Solo, so that a command is found behind any number of messages. A damaged item is left to the turn that
// meets it: it lists it as failed.
func Waiting(t *table.Tx, chat, seq uint64) []session.Item {
	solo := []byte(`"solo":true`) // most of the others are told apart without decoding them
	var out []session.Item
	t.Each(table.Inbox, table.NumKey(chat), func(k, v []byte) bool {
		behind := len(out) >= maxWaiting
		if table.Num(k, 1) < seq || behind && !bytes.Contains(v, solo) {
			return true
		}
		if item, err := table.Read[session.Item](table.Inbox, k, v); err == nil && (!behind || item.Solo) {
			out = append(out, *item)
		}
		return len(out) < 2*maxWaiting
	})
	return out
}
