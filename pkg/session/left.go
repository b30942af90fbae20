package session

import (
	"context"
	"slices"

	"parley/pkg/channels"
)

// The bounds of what NotLeft reads: conversations, and messages of each, or twice as many as it is given.
const (
	maxLeft  = 50
	maxShown = 200
)

// NotLeft leaves out the messages that a conversation has which the chat of an address left behind, of the newest in each: the
// messages are the newest of the chat. It changes the slice, and reads only where there is a message.
func NotLeft(ctx context.Context, of interface {
	Lookup(ctx context.Context, a channels.Address) (Info, error)
	Left(ctx context.Context, chat string, limit int) ([]Info, error)
}, shown interface {
	Shown(ctx context.Context, sessionID string, from uint64, f func(Shown) bool) error
}, at channels.Address, messages []Shown,
) ([]Shown, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	info, err := of.Lookup(ctx, at)
	if err != nil {
		return nil, err
	}
	left, err := of.Left(ctx, info.Chat, maxLeft)
	for i, n := 0, max(maxShown, 2*len(messages)); err == nil && i < len(left); i++ {
		seen := 0
		err = shown.Shown(ctx, left[i].Session, 0, func(s Shown) bool {
			messages = slices.DeleteFunc(messages, func(m Shown) bool { return m.ID == s.ID })
			seen++
			return len(messages) > 0 && seen < n
		})
	}
	return messages, err
}
