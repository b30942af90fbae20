package session

import (
	"context"
	"time"

	"parley/pkg/channels"
)

// Fact is a sentence that a chat was told to remember.
type Fact struct {
	// ID is a short name of it; Number tells it apart for all time.
	ID     string `json:"id"`
	Number uint64 `json:"number"`
	// Chat is where it was told. Person is whose it is: it is used in all direct chats of that
	// person then. Without one it is the chat's.
	Chat   string `json:"chat"`
	Person string `json:"person,omitempty"`
	Text   string `json:"text"`
	// By wrote the message that it comes from. Item is that message's item, Call the call of the turn
	// that stored the fact.
	By   channels.Sender `json:"by"`
	Item string          `json:"item"`
	Call string          `json:"call"`
	// Outside says that content from outside had entered the turn.
	Outside bool      `json:"outside,omitempty"`
	Time    time.Time `json:"time"`
}

// The bounds of the facts of one chat, and of one person: how many, and their texts together in bytes.
const (
	MaxFacts     = 100
	MaxFactBytes = 8 << 10
)

// FactScope is whose facts a turn has: the chat's, and those of the person, or "".
type FactScope struct{ Chat, Person string }

// Facts are the facts that chats and people have told.
type Facts interface {
	// Remember stores a fact with a new ID and the present time, in the place of the one with the ID
	// instead, if that is not "". A fact of the same call or the same text is stored once: that one is
	// returned. [ErrFull]: there are [MaxFacts], or more than [MaxFactBytes]. [ErrNotFound]: the chat does
	// not exist, or the scope of the fact has none with the ID instead.
	Remember(ctx context.Context, f Fact, instead string) (Fact, error)
	// Facts are those of a scope, the oldest first. A damaged one is left out.
	Facts(ctx context.Context, s FactScope) ([]Fact, error)
	// ForgetFact removes a fact of a scope. [ErrNotFound]: it has none with this ID.
	ForgetFact(ctx context.Context, s FactScope, id string) error
}
