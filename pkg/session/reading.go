package session

import (
	"context"

	"parley/pkg/channels"
)

// Reading is how far the person of a chat has read, and what they have written that waits.
// It is for channels without a memory of their own, see [channels.Screen].
type Reading interface {
	// MarkRead notes that the messages which were shown in a chat were seen, up to the one with an
	// outbound id, or with "" all. It reports false, and writes nothing, where that was known.
	// [ErrNotFound]: there is no such chat, or among its newest 200 messages none with the id.
	MarkRead(ctx context.Context, chat, to string) (bool, error)
	// Unread counts the messages of a chat's present conversation that were shown since, up to
	// limit. One that another one took over counts with that as one.
	Unread(ctx context.Context, chat string, limit int) (int, error)
	// Queued are up to limit items of an address that no turn has consumed, in their order;
	// those of the running turn come first.
	Queued(ctx context.Context, a channels.Address, limit int) ([]Item, error)
	// Newest returns up to limit chats of an account, without threads, whose names begin with
	// of.Chat: those that were active last, the newest first. Chats of one request
	// ([channels.Address.Passing]) are left out. It reads chats with such names alone.
	Newest(ctx context.Context, of channels.Address, limit int) ([]Info, error)
	// Shown calls f for the messages that were shown in a session behind the entry from on,
	// newest first, until f says no.
	Shown(ctx context.Context, sessionID string, from uint64, f func(Shown) bool) error
}
