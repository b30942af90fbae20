package attach

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/events"
)

// Answer is what came back to one question.
type Answer struct {
	Chat string `json:"chat"`
	// Messages are those of the answer, in their order.
	Messages []string `json:"messages"`
	// Questions are the ids of approvals that wait for a person.
	Questions []string `json:"questions,omitempty"`
	// Failed says that the question got no answer; the messages then tell why.
	Failed bool `json:"failed,omitempty"`
}

// Text is the whole answer.
func (a *Answer) Text() string { return strings.Join(a.Messages, "\n\n") }

// asking is a console that says one thing.
type asking struct {
	text string
	to   *Answer
	// others are the turns that answer what other consoles said in the same conversation; each message is
	// a turn of its own.
	others map[string]bool
}

var _ Watcher = (*asking)(nil)

// Asking is a console that says one thing, and keeps what is answered.
func Asking(text string, to *Answer) View {
	return &asking{text: text, to: to, others: map[string]bool{}}
}

// Run implements [View].
func (a *asking) Run(ctx context.Context, in *channels.Ingress) error {
	a.to.Messages = nil // those of before are not of this question
	id := rand.Text()
	return in.Deliver(ctx, []channels.Inbound{{
		ID: id, Kind: channels.KindMessage, Address: channels.Address{Channel: console.Name, Chat: a.to.Chat},
		Sender: channels.Sender{ID: console.Name}, Text: a.text, Direct: true, MessageID: id, Time: time.Now(),
	}}, nil)
}

// Send implements [View].
func (a *asking) Send(_ context.Context, part channels.Part) (channels.Receipt, error) {
	if !a.foreign(part.ID) {
		a.to.Messages = append(a.to.Messages, part.Text)
	}
	return channels.Receipt{MessageID: part.ID, Time: time.Now()}, nil
}

// foreign says whether a message belongs to the turn of another console. Its id begins with the turn.
func (a *asking) foreign(id string) bool {
	turn, _, _ := strings.Cut(id, "/")
	return a.others[turn]
}

// Watch implements [Watcher].
func (a *asking) Watch(_ context.Context, d events.Data, own bool) error {
	switch d := d.(type) {
	case events.TurnBegun:
		a.others[d.Turn] = !own && d.Message != "" // one without a message follows from what was said
	case events.Question:
		if !a.foreign(d.Message) && !slices.Contains(a.to.Questions, d.ID) {
			a.to.Questions = append(a.to.Questions, d.ID)
			a.to.Messages = append(a.to.Messages, d.Question)
		}
	default: // the answer alone counts
	}
	return nil
}

// Draft implements [View].
func (*asking) Draft(context.Context, channels.Address, string, string) error { return nil }

// Status implements [View].
func (*asking) Status(context.Context, channels.Address, string) error { return nil }

// Idle implements [View].
func (*asking) Idle(context.Context) error { return nil }
