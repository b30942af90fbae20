package server

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/test/loopchat"
)

const (
	askMark    = "nq"
	answerMark = "rq"
	canaryMark = "cq"
	nonceLen   = 12
)

// Message is something that the bot sent, as it is now.
type Message struct {
	ID   string
	Time time.Time
	loopchat.SendRequest
}

// Ask is a message of a person that wants exactly one answer.
type Ask struct {
	// Chat and Thread are where it was asked; Text is the question, nonce included.
	Chat, Thread, Text string
	// Nonce is the 12 digits that make it known.
	Nonce string
	// Pushed is when it was put in line; Handed when a poll first got it;
	// Answered when its first answer arrived. Read them after Done, or by [Server.Asks].
	Pushed, Handed, Answered time.Time
	// Index counts the asks of its conversation from 0.
	Index int
	// HandedN counts the polls that got it, Answers the messages that answer it.
	HandedN, Answers int

	done chan struct{}
}

// place is one conversation.
type place struct{ chat, thread string }

func (a *Ask) place() place { return place{a.Chat, a.Thread} }

// Done is closed when the first answer has arrived.
func (a *Ask) Done() <-chan struct{} { return a.done }

// ledger is a server's memory. The server's mutex guards it.
type ledger struct {
	asks     []*Ask
	byNonce  map[string]*Ask
	byUpdate map[int64]*Ask
	asked    map[place]int // how many asks
	last     map[place]int // the index of the last ask that was answered in its turn
	canaries map[string]*Canary
	nonces   uint64
	messages []Message
	report   Report
}

// Canary is a token that may be seen in one chat only.
type Canary struct {
	Token, Chat string
	// Seen counts the messages that held it.
	Seen int
}

// Report sums up a ledger.
type Report struct {
	Polls, Messages int
	// Asked and Answered count asks; Redelivered are updates that a poll got again.
	Asked, Answered, Redelivered int
	// Duplicates are answers to an ask beyond its first; Inversions answers that came
	// after the answer to a later ask of the same conversation; Misrouted tokens seen
	// in a chat that is not theirs; Phantoms answers without an ask.
	Duplicates, Inversions, Misrouted, Phantoms int
	// Examples are a few of the texts behind the last four.
	Examples []string
}

func newLedger() ledger {
	return ledger{
		byNonce: map[string]*Ask{}, byUpdate: map[int64]*Ask{}, asked: map[place]int{},
		last: map[place]int{}, canaries: map[string]*Canary{},
	}
}

func (l *ledger) nonce() string {
	l.nonces++
	// A fixed odd factor spreads neighbours over all digits and maps no two numbers to one.
	s := strconv.FormatUint((l.nonces*0x9E3779B97F4B)&(1<<48-1), 16)
	return strings.Repeat("0", nonceLen-len(s)) + s
}

func (l *ledger) handed(batch []loopchat.Update) {
	now := time.Now()
	for i := range batch {
		ask := l.byUpdate[batch[i].ID]
		if ask == nil {
			continue
		}
		if ask.HandedN++; ask.HandedN == 1 {
			ask.Handed = now
		} else {
			l.report.Redelivered++
		}
	}
}

// sent books one message and every token in it.
func (l *ledger) sent(req loopchat.SendRequest) string {
	m := Message{ID: "m" + strconv.Itoa(len(l.messages)+1), Time: time.Now(), SendRequest: req}
	edited := slices.IndexFunc(l.messages, func(old Message) bool {
		return old.ID == req.Edits && old.Chat == req.Chat && old.Thread == req.Thread
	})
	if edited < 0 {
		l.messages = append(l.messages, m)
	} else {
		m.ID = req.Edits
		l.messages[edited] = m
	}
	for _, token := range tokens(req.Text, answerMark) {
		l.answer(m, token[len(answerMark):])
	}
	for _, token := range tokens(req.Text, canaryMark) {
		l.canary(m, token)
	}
	return m.ID
}

func (l *ledger) answer(m Message, nonce string) {
	ask := l.byNonce[nonce]
	switch {
	case ask == nil:
		l.report.Phantoms++
		l.example("phantom", m)
		return
	case ask.place() != (place{m.Chat, m.Thread}):
		l.report.Misrouted++
		l.example("misrouted", m)
		return
	}
	if ask.Answers++; ask.Answers > 1 {
		l.report.Duplicates++
		l.example("duplicate", m)
		return
	}
	ask.Answered = m.Time
	l.report.Answered++
	if ask.Index < l.last[ask.place()] {
		l.report.Inversions++
		l.example("out of order", m)
	} else {
		l.last[ask.place()] = ask.Index
	}
	close(ask.done)
}

func (l *ledger) canary(m Message, token string) {
	c := l.canaries[token]
	switch {
	case c == nil:
		l.report.Phantoms++
		l.example("phantom", m)
	case c.Chat != m.Chat:
		l.report.Misrouted++
		l.example("misrouted", m)
	default:
		c.Seen++
	}
}

func (l *ledger) example(what string, m Message) {
	if len(l.report.Examples) < 10 {
		text := m.Text
		if len(text) > 300 {
			text = text[:300]
		}
		l.report.Examples = append(l.report.Examples, what+" in "+m.Chat+": "+text)
	}
}

// tokens finds each different token in text, in order: mark and nonceLen hex digits.
func tokens(text, mark string) []string {
	var found []string
	for {
		i := strings.Index(text, mark)
		if i < 0 {
			return found
		}
		text = text[i:]
		end := len(mark)
		for end < len(text) && end < len(mark)+nonceLen && isHex(text[end]) {
			end++
		}
		if end == len(mark)+nonceLen && !slices.Contains(found, text[:end]) {
			found = append(found, text[:end])
		}
		text = text[len(mark):]
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
