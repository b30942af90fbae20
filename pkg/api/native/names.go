package native

import (
	"regexp"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/httpd"
)

// Names lead from the callers of an API to their chats.
type Names interface {
	// Sender is a caller as the sender of messages.
	Sender(c *httpd.Caller) channels.Sender
	// Chat is the name of the chat that an id means to a caller.
	Chat(c *httpd.Caller, id string) string
	// ID is the id of the chat with a name; false where the caller has no such chat.
	ID(c *httpd.Caller, chat string) (id string, ok bool)
	// Group is the hub's group of the caller's chats.
	Group(c *httpd.Caller) string
}

// PersonalNames give each person chats of their own. The name of a chat has the person in it,
// and ids have no dot, so that no id leads to another person's chat.
type PersonalNames struct{}

// Sender implements [Names].
func (PersonalNames) Sender(c *httpd.Caller) channels.Sender { return channels.Sender{ID: personOf(c)} }

// Chat implements [Names].
func (PersonalNames) Chat(c *httpd.Caller, id string) string { return personOf(c) + "." + id }

// ID implements [Names].
func (PersonalNames) ID(c *httpd.Caller, chat string) (id string, ok bool) {
	return strings.CutPrefix(chat, personOf(c)+".")
}

// Group implements [Names].
func (PersonalNames) Group(c *httpd.Caller) string { return personOf(c) }

// personOf is a person as a sender on the channel of the API.
func personOf(c *httpd.Caller) string {
	p := &c.Person
	if p.Account == "" {
		return p.Channel + ":" + p.ID
	}
	return p.Channel + ":" + p.Account + "/" + p.ID
}

// chatID is the form of the id of a chat.
var chatID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ValidID says whether a text can be the id of a chat.
func ValidID(id string) bool { return chatID.MatchString(id) }
