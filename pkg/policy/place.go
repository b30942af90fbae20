package policy

import (
	"fmt"
	"strings"

	"parley/pkg/channels"
)

// Place names a chat in a configuration: CHANNEL:[ACCOUNT/]CHAT[#THREAD]. An
// account or a thread that is left out means every one.
type Place struct {
	Channel, Account, Chat, Thread string
}

// ParsePlace reads a place such as "telegram:-1001234", "slack:T012/C345" or "telegram:-1001234#7".
func ParsePlace(s string) (Place, error) {
	channel, rest, ok := strings.Cut(s, ":")
	if !ok || channel == "" || strings.ContainsAny(s, "* \t\n") {
		return Place{}, fmt.Errorf("%q names no chat: write CHANNEL:CHAT, such as telegram:-1001234 or slack:TEAM/CHAT", s)
	}
	p := Place{Channel: channel}
	if account, chat, hasAccount := strings.Cut(rest, "/"); hasAccount {
		p.Account, rest = account, chat
	}
	p.Chat, p.Thread, _ = strings.Cut(rest, "#")
	if p.Chat == "" && channel != consoleChannel {
		return Place{}, fmt.Errorf("%q has no chat id: write CHANNEL:CHAT", s)
	}
	return p, nil
}

// String is the form that [ParsePlace] reads.
func (p Place) String() string {
	s := p.Channel + ":"
	if p.Account != "" {
		s += p.Account + "/"
	}
	s += p.Chat
	if p.Thread != "" {
		s += "#" + p.Thread
	}
	return s
}

// Matches says whether a is at this place.
func (p Place) Matches(a channels.Address) bool {
	return p.Channel == a.Channel &&
		(p.Account == "" || p.Account == a.Account) &&
		(p.Chat == a.Chat || p.Chat == "" && p.Channel == consoleChannel) &&
		(p.Thread == "" || p.Thread == a.Thread)
}

// Weight orders places that match the same address: the heavier one says more exactly where.
func (p Place) Weight() int {
	n := 0
	for _, s := range []string{p.Account, p.Chat, p.Thread} {
		if s != "" {
			n++
		}
	}
	return n
}
