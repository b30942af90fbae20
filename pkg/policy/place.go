package policy

import (
	"fmt"
	"regexp"
	"slices"
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

// CheckPlace reports the mistake in a configured place; known are the existing
// channels. A place that no chat can have would be a rule without effect.
func CheckPlace(s string, known []string) error {
	p, err := ParsePlace(s)
	switch {
	case err != nil:
		return err
	case !slices.Contains(known, p.Channel):
		return fmt.Errorf("%q: %w", s, noChannel(p.Channel, known))
	case p.String() != s:
		return fmt.Errorf("%q has an empty account or thread: write %s", s, p)
	}
	if err := checkAccount(p.Channel, p.Account); err != nil {
		return fmt.Errorf("%q: %w", s, err)
	}
	chat, thread, cure := chatForm(p.Channel)
	if !regexp.MustCompile(chat).MatchString(p.Chat) || !regexp.MustCompile(thread).MatchString(p.Thread) {
		return fmt.Errorf("%q is no chat there: %s", s, cure)
	}
	return nil
}

// chatForm is how chats and threads of a channel are named.
func chatForm(channel string) (chat, thread, cure string) {
	switch channel {
	case consoleChannel:
		return `^(` + consoleChat + `)?$`, `^$`, "its conversations have the same rules: write console:local"
	case "telegram":
		return `^-?[1-9][0-9]{0,18}$`, `^([1-9][0-9]{0,9})?$`, "write the chat's numeric id, as in telegram:-1001234567890, and that of the topic behind #"
	case slackChannel:
		return `^[CDG][A-Z0-9]+$`, `^([0-9]+\.[0-9]+)?$`, "write the channel's id, as in slack:T012AB3CD/C045EF6GH, and the thread's time behind #"
	default:
		return "", "", ""
	}
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

// Governs says whether a rule for this place holds in the chat at an address. A rule for a person of
// the console or of the web holds in each of their conversations, whatever the names of these are.
func (p Place) Governs(a channels.Address) bool {
	switch {
	case p.Channel == consoleChannel && p.Chat == consoleChat:
		p.Chat = ""
	case p.isWebPerson():
		a.Chat = strings.TrimPrefix(a.Chat[:max(0, strings.LastIndexByte(a.Chat, '.'))], webChannel+":")
	}
	return p.Matches(a)
}

// isWebPerson says that the place is a person of the web, such as web:ada, whose chats are web:ada.NAME, or
// one of another channel, such as web:telegram:7.
func (p Place) isWebPerson() bool { return p.Channel == webChannel && !strings.Contains(p.Chat, ".") }

// Weight orders places that match the same address: the heavier one says more exactly
// where. No two different places that match one address weigh the same.
func (p Place) Weight() int {
	n := 0
	for i, s := range []string{p.Account, p.Chat, p.Thread} {
		if s != "" {
			n += 1 << i
		}
	}
	if p.isWebPerson() { // one chat of theirs is more exact
		n--
	}
	return n
}
