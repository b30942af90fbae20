package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/test/loopchat"
)

// Question is an ask that is not yet in line.
type Question struct {
	Chat, Thread string
	// Text is the person's text; the nonce is appended.
	Text string
	// Front puts the nonce before the text instead, for texts with an end that matters.
	Front bool
}

// Ask puts one question in line.
func (s *Server) Ask(chat, text string) *Ask {
	return s.AskAll([]Question{{Chat: chat, Text: text}})[0]
}

// AskAll puts questions in line, all at once, in order.
func (s *Server) AskAll(questions []Question) []*Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.ledger
	asks := make([]*Ask, len(questions))
	updates := make([]loopchat.Update, len(questions))
	for i, q := range questions {
		nonce := l.nonce()
		text := q.Text + " " + askMark + nonce
		if q.Front {
			text = askMark + nonce + " " + q.Text
		}
		ask := &Ask{Chat: q.Chat, Thread: q.Thread, Text: text, Nonce: nonce, done: make(chan struct{})}
		ask.Index = l.asked[ask.place()]
		l.asked[ask.place()]++
		asks[i] = ask
		l.byNonce[nonce] = ask
		updates[i] = loopchat.Update{Chat: q.Chat, Thread: q.Thread, Text: text, Mentioned: !loopchat.Direct(q.Chat)}
	}
	l.asks = append(l.asks, asks...)
	l.report.Asked += len(asks)
	ids := s.push(updates)
	for i, id := range ids {
		asks[i].Pushed = s.pending[len(s.pending)-len(ids)+i].Time
		l.byUpdate[id] = asks[i]
	}
	return asks
}

// Canary makes a token that only chat may see.
func (s *Server) Canary(chat string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := canaryMark + s.ledger.nonce()
	s.ledger.canaries[token] = &Canary{Token: token, Chat: chat}
	return token
}

// Canaries returns a copy of all canaries, by token.
func (s *Server) Canaries() []Canary {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Canary, 0, len(s.ledger.canaries))
	for _, token := range slices.Sorted(maps.Keys(s.ledger.canaries)) {
		all = append(all, *s.ledger.canaries[token])
	}
	return all
}

// Asks returns a copy of all asks, in the order they were asked.
func (s *Server) Asks() []Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Ask, len(s.ledger.asks))
	for i, a := range s.ledger.asks {
		all[i] = *a
	}
	return all
}

// Messages returns a copy of the messages to a chat, or to all for "", in order.
func (s *Server) Messages(chat string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Message
	for i := range s.ledger.messages {
		if m := &s.ledger.messages[i]; chat == "" || m.Chat == chat {
			all = append(all, *m)
		}
	}
	return all
}

// Count says how many messages to a chat (or to all for "") hold text.
func (s *Server) Count(chat, text string) int {
	n := 0
	all := s.Messages(chat)
	for i := range all {
		if strings.Contains(all[i].Text, text) {
			n++
		}
	}
	return n
}

// Report sums up the events until now.
func (s *Server) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.ledger.report
	r.Messages = len(s.ledger.messages)
	r.Examples = slices.Clone(r.Examples)
	return r
}

// Unconfirmed counts the updates that no poll has confirmed.
func (s *Server) Unconfirmed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending)
}

// Until waits until cond holds. It is looked at again after every poll and every message.
func (s *Server) Until(ctx context.Context, cond func() bool) error {
	return s.changed.Until(ctx, cond)
}

// ErrUnanswered says that asks were left open.
var ErrUnanswered = errors.New("not all asks were answered")

// WaitAnswered waits until every one of asks has an answer.
func WaitAnswered(ctx context.Context, asks ...*Ask) error {
	for i, a := range asks {
		select {
		case <-a.done:
		case <-ctx.Done():
			return fmt.Errorf("%w: %d of %d, the first in chat %s: %w", ErrUnanswered, len(asks)-i, len(asks), a.Chat, context.Cause(ctx))
		}
	}
	return nil
}
