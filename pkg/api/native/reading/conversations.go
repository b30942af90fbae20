package reading

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// The bounds of what is looked at in one chat.
const (
	// So many conversations a chat shows beside the present one.
	maxLeft = 50
	// So many entries behind the end the last answer is looked for.
	lookBack = 500
)

// Conversation is one that a chat has, or left behind.
type Conversation struct {
	// ID is what /resume takes; the message is "/resume ID".
	ID string `json:"id"`
	// Title is the beginning of its first message.
	Title   string    `json:"title"`
	Entries uint64    `json:"entries"`
	Time    time.Time `json:"time"`
	Current bool      `json:"current"`
}

// Conversations are the present conversation of a chat, and those that it left behind, the one
// that was active last first.
func (r *Reader) Conversations(ctx context.Context, at channels.Address) ([]Conversation, error) {
	all := []Conversation{}
	info, err := r.o.Store.Lookup(ctx, at)
	if errors.Is(err, session.ErrNotFound) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	left, err := r.o.Store.Left(ctx, info.Chat, maxLeft)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return nil, err
	}
	left = append([]session.Info{info}, left...)
	for i := range left {
		one := &left[i]
		title, err := r.title(ctx, one.Session)
		if err != nil {
			return nil, err
		}
		all = append(all, Conversation{ID: one.Session, Title: title, Entries: one.Entries, Time: one.Active, Current: one.Current})
	}
	return all, nil
}

// Answer is an answer of the model as it wrote it.
type Answer struct {
	Text string `json:"text"`
	Turn string `json:"turn,omitempty"`
}

// LastAnswer is the last one in a chat; empty without one.
func (r *Reader) LastAnswer(ctx context.Context, at channels.Address) (found Answer, err error) {
	info, err := r.o.Store.Lookup(ctx, at)
	if err == nil {
		left := lookBack
		err = r.o.Store.Back(ctx, info.Session, 0, func(e session.Entry) bool {
			left--
			m := &e.Message
			speaks := m.Role == providers.RoleAssistant && len(m.ToolCalls) == 0 && !e.Undone && !e.Silent()
			if said := strings.TrimSpace(m.Content); speaks && said != "" {
				found = Answer{Text: r.o.Redact(said), Turn: e.Turn}
			}
			return found.Text == "" && left > 0
		})
	}
	if errors.Is(err, session.ErrNotFound) {
		err = nil
	}
	return found, err
}
