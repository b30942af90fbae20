package screens

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"parley/pkg/agent/approval"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/channels/web"
	"parley/pkg/events"
	"parley/pkg/gateway/linking"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/shelf"
)

// Options are the parts that [Screens] work with.
type Options struct {
	Store    session.Engine
	Links    *linking.Linking
	Files    *shelf.Shelf
	Redactor *policy.Redactor
}

// Screens are those of one gateway.
type Screens struct {
	o        Options
	hub      *events.Hub
	channels map[string]*web.Channel // by their names
}

// New has no channel yet.
func New(o Options) *Screens {
	s := &Screens{o: o, channels: map[string]*web.Channel{}}
	s.hub = events.New(events.Options{Redact: o.Redactor.Redact, Unsettled: o.Redactor.Unsettled, Group: s.group})
	return s
}

// group is the person of a chat, for those who watch several.
func (s *Screens) group(at channels.Address) string {
	switch at.Channel {
	case web.Name:
		return Person(at.Chat)
	case console.Name:
		return console.Name
	default:
		return s.o.Links.Person(at)
	}
}

// Person is the person of a chat of the web: its name is before the last dot.
func Person(chat string) string {
	return chat[:max(0, strings.LastIndexByte(chat, '.'))]
}

// Web makes the channel of the HTTP server. Each message says which level its credential has.
func (s *Screens) Web() *web.Channel {
	return s.open(web.Options{Name: web.Name})
}

// Console makes the channel of the consoles. Whoever reaches the socket has the rights of the
// gateway's own user, so that a message needs no level.
func (s *Screens) Console() *web.Channel {
	return s.open(web.Options{Name: console.Name, Admits: func(*channels.Inbound) bool { return true }})
}

func (s *Screens) open(o web.Options) *web.Channel {
	o.Show, o.Files = s.show, s.o.Files
	c := web.New(o)
	s.channels[o.Name] = c
	return c
}

// Hub has the events of all chats.
func (s *Screens) Hub() *events.Hub { return s.hub }

// Events are those of the chat at an address, where somebody can read them.
func (s *Screens) Events(at channels.Address) *events.Hub {
	if !s.shows(at) {
		return nil
	}
	return s.hub
}

// shows says whether a screen may show the chat at an address.
func (s *Screens) shows(at channels.Address) bool {
	return s.own(at) || s.o.Links.Person(at) != ""
}

// own says whether screens are the only place where a chat is shown.
func (s *Screens) own(at channels.Address) bool { return s.channels[at.Channel] != nil }

// show puts a part on the screens of its chat.
func (s *Screens) show(ctx context.Context, part channels.Part) {
	if len(part.Buttons) > 0 {
		if q, ok := s.question(ctx, &part); ok {
			s.hub.Delivered(part.Address, part.ID, q)
			return
		}
	}
	m := events.Message{
		ID: part.ID, Role: "assistant", Text: part.Text, Replaces: part.Finishes, Origin: string(part.Unasked),
	}
	if part.File != nil {
		m.File = part.File.Name
		if part.File.Kept != nil {
			m.Files = []channels.KeptFile{*part.File.Kept}
		}
	}
	s.hub.Delivered(part.Address, part.ID, m)
}

// question is the question that a message puts.
func (s *Screens) question(ctx context.Context, part *channels.Part) (events.Question, bool) {
	id, ok := approval.QuestionOf(part.Buttons[0])
	if !ok {
		return events.Question{}, false
	}
	a, err := s.o.Store.Approvals().Approval(ctx, id)
	if err != nil {
		return events.Question{}, false
	}
	return events.Question{
		ID: a.ID, ToolCallID: a.Call.ID, Called: a.Call.Tool, Arguments: json.RawMessage(a.Call.Arguments),
		Question: part.Text,
		Choices:  native.Choices(&a), ExpiresAt: a.Expires, Message: a.Question,
	}, true
}

// Settled tells of a message that could not be delivered, and the lists of chats of one that
// was: it is stored now.
func (s *Screens) Settled(o channels.Outbound, out channels.Outcome) {
	switch {
	case !s.shows(o.Address):
		return
	case out.State == channels.Delivered:
		if !s.own(o.Address) && !o.Preview {
			s.hub.Delivered(o.Address, o.ID, messageOf(&o))
		}
		s.hub.Changed(o.Address)
		return
	}
	s.hub.Delivered(o.Address, o.ID, events.Notice{Code: events.CodeUndelivered, Text: out.Reason})
}

// Trouble tells the consoles that the store cannot be written, and with nil that it can again: no
// message could leave by the store.
func (s *Screens) Trouble(err error) {
	text := textStoreWorks
	if err != nil {
		text = fmt.Sprintf(textStoreFull, fmt.Errorf("%w: %w", session.ErrStore, err))
	}
	ofConsoles := func(at channels.Address) bool { return at.Channel == console.Name }
	s.hub.Announce(ofConsoles, events.Notice{Code: events.CodeStore, Text: text})
}

// Quiet waits until nothing is under way in a chat, and then says so to its readers, with a text by
// which one of them knows that it has read all.
func (s *Screens) Quiet(ctx context.Context, at channels.Address, text string) error {
	_, err := s.o.Store.Inbox().Drained(ctx, at)
	if err == nil {
		s.hub.Tell(at, events.Notice{Code: events.CodeQuiet, Text: text})
	}
	return err
}

// messageOf is a message of another channel as the page shows it.
func messageOf(o *channels.Outbound) events.Message {
	m := events.Message{ID: o.ID, Role: "assistant", Text: o.Text, Replaces: o.Finishes, Origin: string(o.Unasked)}
	if o.File != nil {
		m.File = o.File.Name
	}
	return m
}

// Answered tells of the answer to a question, wherever it was given.
func (s *Screens) Answered(e approval.Event) {
	if !s.shows(e.Approval.Address) {
		return
	}
	decision := ""
	switch e.Outcome {
	case approval.Allowed:
		decision = native.ChoiceOf(true, e.Granted)
	case approval.Denied:
		decision = native.ChoiceOf(false, false)
	case approval.Void, approval.GivenUp:
		decision = string(e.Outcome)
	case approval.Asked, approval.Refused:
		return
	}
	s.hub.Tell(e.Approval.Address, events.Resolved{ID: e.Approval.ID, Decision: decision, By: cmp.Or(e.By.Name, e.By.ID)})
}

// Posting takes in messages, with the errors of an API.
func (s *Screens) Posting(notNow, notAllowed error) func(ctx context.Context, m channels.Inbound) error {
	return func(ctx context.Context, m channels.Inbound) error {
		if m.Address.Channel == console.Name {
			m.Wish = wished(m.Wish)
		}
		c := s.channels[m.Address.Channel]
		if c == nil {
			return notNow
		}
		err := c.Post(ctx, m)
		switch {
		case errors.Is(err, web.ErrNotRunning):
			return notNow
		case errors.Is(err, web.ErrNotAdmitted):
			return notAllowed
		default:
			return err
		}
	}
}

// wished is what a message of a console asks for; nil where that is nothing of its own, so that
// it can join the turn that is running.
func wished(w *channels.Wish) *channels.Wish {
	if w == nil || reflect.DeepEqual(*w, channels.Wish{Level: w.Level, Credential: w.Credential, Sum: w.Sum}) {
		return nil
	}
	return w
}

// ConsoleNames are the names of the chats of consoles: all have the same, by their ids.
type ConsoleNames struct{}

// Sender implements [native.Names]: the user of the machine is the name that others read.
func (ConsoleNames) Sender(c *httpd.Caller) channels.Sender {
	return channels.Sender{ID: c.Person.ID, Name: c.Name}
}

// Chat implements [native.Names].
func (ConsoleNames) Chat(_ *httpd.Caller, id string) string { return id }

// ID implements [native.Names].
func (ConsoleNames) ID(_ *httpd.Caller, chat string) (id string, ok bool) { return chat, true }

// Group implements [native.Names].
func (ConsoleNames) Group(*httpd.Caller) string { return console.Name }
