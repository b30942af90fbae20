package policy

import "parley/pkg/channels"

// Moves knows the former ids of chats that have moved: an id in the configuration
// also means the chat that it became. It is asked for every event; it must be quick
// and safe for many goroutines.
type Moves interface {
	// Former are the ids that a chat had before this one, the latest first.
	Former(channel, account, chat string) []string
}

// WithMoves is the same policy, which knows the chats under their former ids.
func (p *Policy) WithMoves(moves Moves) *Policy {
	with := *p
	with.moves = moves
	return &with
}

// Addresses are those by which the configuration may name the chat at a: a itself,
// then its former ones.
func (p *Policy) Addresses(a channels.Address) []channels.Address {
	all := []channels.Address{a}
	if p.moves == nil {
		return all
	}
	for _, id := range p.moves.Former(a.Channel, a.Account, a.Chat) {
		a.Chat = id
		all = append(all, a)
	}
	return all
}
