package kill_test

import (
	"fmt"
	"regexp"

	"parley/pkg/providers"
)

// ask is a message of a person that wants exactly one answer.
type ask struct {
	question
	// nonce makes it known; the answer holds it.
	nonce string
	// index counts the asks of its chat from 0.
	index int
}

// message is something that the bot sent, as people read it now.
type message struct{ chat, text string }

// ledger knows the questions and the tokens that may be seen in each place.
type ledger struct {
	asks     []*ask
	byNonce  map[string]*ask
	inChat   map[string]int
	canaries map[string]string // the chat of each
	issued   uint64
}

func newLedger() *ledger {
	return &ledger{byNonce: map[string]*ask{}, inChat: map[string]int{}, canaries: map[string]string{}}
}

// digits are 12 digits that are still free.
func (l *ledger) digits() string {
	l.issued++
	// An odd factor maps no two numbers to one, and spreads neighbours.
	return fmt.Sprintf("%012x", (l.issued*0x9E3779B97F4B)&(1<<48-1))
}

// canary makes a token that only chat may see.
func (l *ledger) canary(chat string) string {
	token := "cq" + l.digits()
	l.canaries[token] = chat
	return token
}

// enter makes an ask of a question.
func (l *ledger) enter(q question) *ask {
	a := &ask{question: q, nonce: l.digits(), index: l.inChat[q.chat]}
	a.text += " nq" + a.nonce
	l.inChat[q.chat]++
	l.asks = append(l.asks, a)
	l.byNonce[a.nonce] = a
	return a
}

// findings are the facts that messages tell of the asks.
type findings struct {
	// answered are the asks that have an answer, by nonce; seen counts the
	// messages that hold a canary.
	answered map[string]bool
	seen     map[string]int
	// inversions are answers after the answer to a later ask of the same chat,
	// misrouted tokens in a chat that is not theirs, phantoms answers without an ask.
	inversions, misrouted, phantoms int
	examples                        []string
}

var token = regexp.MustCompile(`[rc]q[0-9a-f]{12}`)

// read looks at messages, which are in the order in which they were sent.
func (l *ledger) read(messages []message) findings {
	f := findings{answered: map[string]bool{}, seen: map[string]int{}}
	last := map[string]int{}
	wrong := func(counter *int, what string, m message) {
		*counter++
		f.examples = append(f.examples, fmt.Sprintf("%s in %s: %.300s", what, m.chat, m.text))
	}
	for _, m := range messages {
		for tok := range tokens(m.text) {
			a := l.byNonce[tok[len("rq"):]]
			at, canary := l.canaries[tok]
			switch {
			case canary && at == m.chat:
				f.seen[tok]++
			case canary, a != nil && a.chat != m.chat:
				wrong(&f.misrouted, "misrouted", m)
			case a == nil:
				wrong(&f.phantoms, "phantom", m)
			case f.answered[a.nonce]: // doubles counts these
			case a.index < last[a.chat]:
				f.answered[a.nonce] = true
				wrong(&f.inversions, "out of order", m)
			default:
				f.answered[a.nonce] = true
				last[a.chat] = a.index
			}
		}
	}
	return f
}

// tokens gives each token of a text once, in order.
func tokens(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for _, tok := range token.FindAllString(text, -1) {
			if seen[tok] {
				continue
			}
			seen[tok] = true
			if !yield(tok) {
				return
			}
		}
	}
}

var anyToken = regexp.MustCompile(`[nrc]q[0-9a-f]{12}`)

// crossed names the parts of one request to the model that do not belong together: the
// words of several chats, or questions in another order than that of the chat.
func (l *ledger) crossed(messages []providers.Message) string {
	chat, last := "", -1
	asked := map[string]bool{}
	for i := range messages {
		for _, tok := range anyToken.FindAllString(messages[i].Content, -1) {
			at, a := l.canaries[tok], l.byNonce[tok[2:]]
			if a != nil {
				at = a.chat
			}
			if at == "" {
				continue
			}
			if chat != "" && at != chat {
				return fmt.Sprintf("%s of %s in a request about %s", tok, at, chat)
			}
			chat = at
			if a == nil || tok[0] != 'n' || asked[a.nonce] {
				continue
			}
			asked[a.nonce] = true
			if a.index < last {
				return fmt.Sprintf("ask %d of %s after ask %d", a.index, chat, last)
			}
			last = a.index
		}
	}
	return ""
}
