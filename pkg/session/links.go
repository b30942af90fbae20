package session

import (
	"context"
	"time"

	"parley/pkg/channels"
)

// MaxLinks is how many chats one person may have on the page: one more is refused.
const MaxLinks = 100

// Link shows a chat of another channel on the page of one person.
type Link struct {
	// ID names the chat on the page; it is no secret.
	ID      string           `json:"id"`
	Address channels.Address `json:"address"`
	// Person is the one on whose page the chat is, as CHANNEL:ID.
	Person string `json:"person"`
	// By asked in the chat for the code. Direct says that nobody else was there.
	By      channels.Sender `json:"by"`
	Direct  bool            `json:"direct,omitempty"`
	Created time.Time       `json:"created"`
}

// Links are the chats of other channels on the pages of people. A chat is on one page at most.
type Links interface {
	// PutLink stores a link; that of the same chat ends. [ErrFull]: the person has [MaxLinks].
	PutLink(ctx context.Context, l Link) error
	// EndLinks ends the links for which over is true, and returns them. When it returns, their
	// contexts have ended. over must be quick and must not use the engine; it may be called more
	// than once.
	EndLinks(ctx context.Context, over func(*Link) bool) ([]Link, error)
	// LinkAt returns the link of a chat, from memory, with a context that ends with the link.
	LinkAt(a channels.Address) (l Link, valid context.Context, ok bool)
	// LinksOf returns the links of a person, from memory, the oldest first.
	LinksOf(person string) []Link
}
