package table

import (
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// PairRecord is a pair with the notes that were sent to the person.
type PairRecord struct {
	session.Pair

	Notes []PairNote `json:"notes,omitempty"`
}

// AskRecord is a stranger's request.
type AskRecord struct {
	session.PairRequest

	// Made is the session of a chat that was made only to tell the code, else 0.
	Made uint64 `json:"made,omitempty"`
}

// PersonKey tells people apart as addrKey does addresses.
func PersonKey(channel, account, id string) []byte {
	return AddrKey(channels.Address{Channel: channel, Account: account, Chat: id})
}

// Person is the key of the stranger.
func (r *AskRecord) Person() []byte {
	return PersonKey(r.Address.Channel, r.Address.Account, r.Sender.ID)
}

// PairNote is that a paired person was sent a note in a chat.
type PairNote struct {
	// Address is where it was sent; another thread of the chat counts as the same chat.
	Address channels.Address `json:"address"`
	Time    time.Time        `json:"time"`
	// Made is the session of a chat that was made only for the note, else 0.
	Made uint64 `json:"made,omitempty"`
}

// MoveRecord is the address of a chat before it moved.
type MoveRecord struct {
	channels.Address // of now

	// Former are the ids it had, the latest first.
	Former []string `json:"former"`
}
