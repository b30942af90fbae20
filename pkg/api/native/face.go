package native

import (
	"context"
	"errors"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/session"
	"parley/pkg/shelf"
)

// Request is a new message with its options, as POST …/messages takes it.
type Request = request

// Brought is what a program of another protocol brings along with its message: words that
// stand in place of the message, tools that it runs itself, and instructions.
type Brought struct {
	Said         []channels.Said
	Caller       []channels.CallerTool
	Instructions string
	// Pictures are those of the last words, or of the message.
	Pictures []shelf.Picture
}

// Bring adds to a message what comes along with it.
func (q *request) Bring(b Brought) { q.brought = b }

func (b *Brought) empty() bool {
	return len(b.Said) == 0 && len(b.Caller) == 0 && b.Instructions == "" && len(b.Pictures) == 0
}

// Chat is a chat of a program's person, for the packages of other protocols. Its methods
// store messages and answer questions by the same rules as the routes of this package.
type Chat struct {
	api   *API
	place place
}

// ChatOf finds the chat of a program's person by its id; false for what is no id.
func (a *API) ChatOf(c *httpd.Caller, id string) (*Chat, bool) {
	p, ok := a.placeOf(c, id)
	p.program = true
	return &Chat{a, p}, ok
}

// Address is where the chat is.
func (c *Chat) Address() channels.Address { return c.place.at }

// Item is the stored id of what comes under a client's key by a route.
func (c *Chat) Item(route, key string) string {
	return session.InboundItemID(c.place.at, c.id(route, key))
}

func (c *Chat) id(route, key string) string {
	return "key/" + keyOf(c.place.caller.Credential, route, c.place.at.Chat, key)
}

// Say stores a message, once for each key, and returns the id behind which the events of its turn
// follow.
func (c *Chat) Say(ctx context.Context, route, key string, q *Request) (after string, f *httpd.Refusal) {
	q.keyed = true
	s, f := say(ctx, c.api, &c.place, c.id(route, key), q)
	return s.After, f
}

// Behind is the id behind which the events of a stored message follow, [events.Lost] where
// they are gone; false for one that is unknown, or is answered and forgotten by the hub.
func (c *Chat) Behind(ctx context.Context, item string) (after string, ok bool) {
	after = c.api.behind(ctx, &c.place, item, c.api.o.Hub.Mark(c.place.at))
	return after, after != events.Lost
}

// Question is the question with an id, in this chat.
func (c *Chat) Question(ctx context.Context, id string) (*session.Approval, *httpd.Refusal) {
	return questionOf(ctx, c.api, &c.place, id)
}

// MayDecide refuses an answer to a question that the caller may not give.
func (c *Chat) MayDecide(q *session.Approval, decision string) *httpd.Refusal {
	return mayDecide(&c.place, q, decision)
}

// Decide stores an answer to a question, once; [Chat.MayDecide] allowed it.
func (c *Chat) Decide(ctx context.Context, q *session.Approval, decision string) *httpd.Refusal {
	return press(ctx, c.api, &c.place, q, decision)
}

// Decision is the stored id of an answer to a question.
func (c *Chat) Decision(q *session.Approval, decision string) string {
	return session.InboundItemID(c.place.at, pressID(&c.place, q, decision))
}

// Open are the open questions about calls of the chat's own turns.
func (c *Chat) Open(ctx context.Context) ([]session.Approval, *httpd.Refusal) {
	info, err := c.api.o.Store.Lookup(ctx, c.place.at)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, c.api.fault(err)
	}
	all, err := c.api.o.Store.ApprovalList(ctx, info.Chat)
	if err != nil {
		return nil, c.api.fault(err)
	}
	var open []session.Approval
	for i := range all {
		if q := &all[i]; q.State == session.ApprovalOpen && q.Task == "" && q.Address == c.place.at && time.Now().Before(q.Expires) {
			open = append(open, *q)
		}
	}
	return open, nil
}

// Back gives the messages of the chat, the newest first, until f says no.
func (c *Chat) Back(ctx context.Context, f func(*session.Entry) bool) error {
	info, err := c.api.o.Store.Lookup(ctx, c.place.at)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.api.o.Store.Back(ctx, info.Session, 0, func(e session.Entry) bool { return e.Summary || f(&e) })
}

// Calls says whether the program that has the chat here is the one that a turn's last calls were
// told to.
func (c *Chat) Calls(ctx context.Context, turn string) (bool, error) {
	info, err := c.api.o.Store.Lookup(ctx, c.place.at)
	if err != nil {
		return false, err
	}
	p, err := c.api.o.Store.ProgramOf(ctx, info.Chat, turn)
	if errors.Is(err, session.ErrNotFound) {
		return false, nil
	}
	return p.Calls && p.Credential == c.place.caller.Credential, err
}

// Asked says whether a question is about a call that a message with these words and options led to,
// from the same credential.
func (c *Chat) Asked(q *session.Approval, m *Request) bool {
	sum, f := m.sum()
	return f == nil && q.Wish != nil && q.Wish.Sum == sum && q.Wish.Credential == c.place.caller.Credential
}
