package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/kv"
)

// Report is what a check found.
type Report struct {
	// Records counts everything that is stored.
	Records int `json:"records"`
	// Chats, Sessions and Entries count the conversations and what was said in them.
	Chats    int `json:"chats"`
	Sessions int `json:"sessions"`
	Entries  int `json:"entries"`
	// Waiting are inbox items, Sending outgoing messages, SetAside damaged records.
	Waiting  int `json:"waiting"`
	Sending  int `json:"sending"`
	SetAside int `json:"set_aside"`
	// Held says why nothing runs, empty when the store is in use.
	Held string `json:"held,omitempty"`
	// Problems are broken promises and damaged records, at most 100; More counts those beyond.
	Problems []string `json:"problems,omitempty"`
	More     int      `json:"more,omitempty"`
}

// Err is nil when no problem was found.
func (r *Report) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	if len(r.Problems) == 1 {
		return fmt.Errorf("1 problem: %s", r.Problems[0])
	}
	return fmt.Errorf("%d problems, the first: %s", len(r.Problems)+r.More, r.Problems[0])
}

const maxProblems = 100

// Addf adds a problem.
func (r *Report) Addf(format string, args ...any) {
	if len(r.Problems) == maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// CheckRecords reads the whole store: every checksum, and what must hold between the
// records. Unlisted says that an earlier build wrote it, without the indexes by chat.
func CheckRecords(k kv.Reader, unlisted bool, r *Report) error {
	t := newTx(k, time.Time{})
	var w walked
	if err := walk(t, &w); err != nil {
		return err
	}
	r.Records = w.records
	for _, b := range w.bad {
		r.Addf("%v", b)
	}
	t.each(bkBad, nil, func(_, _ []byte) bool { r.SetAside++; return true })
	c := &checker{t: t, r: r, unlisted: unlisted, consumed: map[[16]byte]bool{}}
	c.chats()
	c.sessions()
	c.history()
	c.inbox()
	c.turns()
	c.seen()
	c.steps()
	c.outbox()
	c.tasks()
	c.jobs()
	c.indexes()
	c.facts()
	c.pairs()
	c.moves()
	return nil
}

// checker looks at what must hold between records. Damaged records were
// reported before and are passed over.
type checker struct {
	t *tx
	r *Report
	// unlisted says that an earlier build wrote the store, without the indexes by chat.
	unlisted bool
	// consumed holds chat and sequence number of the items of committed turns.
	consumed map[[16]byte]bool
}

// records calls f with each readable record of a bucket.
func records[T any](c *checker, b bucket, f func(key []byte, v *T)) {
	c.t.each(b, nil, func(k, _ []byte) bool {
		if v, err := get[T](c.t, b, k); err == nil {
			f(k, v)
		} else if _, sealErr := c.t.raw(b, k); sealErr == nil {
			c.r.Addf("%v", err)
		}
		return true
	})
}

func (c *checker) chatExists(what string, n uint64) {
	known := c.t.has(bkChats, numKey(n)) || c.t.isBad(bkChats, numKey(n)) || c.t.isGone(n)
	if !known {
		c.r.Addf("%s: chat %s is missing", what, chatID(n))
	}
}

func (c *checker) chats() {
	c.t.each(bkAddr, nil, func(k, _ []byte) bool {
		if payload, err := c.t.raw(bkAddr, k); err == nil && len(payload) == 8 {
			c.chatExists("an address", binary.BigEndian.Uint64(payload))
		}
		return true
	})
	records(c, bkChats, func(k []byte, chat *chatRec) {
		c.r.Chats++
		n := num(k, 0)
		if !slices.Contains(chat.Aliases, chat.Address) {
			c.r.Addf("chat %s: its address is none of its aliases", chatID(n))
		}
		for _, a := range chat.Aliases {
			if at, err := c.t.chatAt(a); err == nil && at != n {
				c.r.Addf("chat %s: its alias leads to %s", chatID(n), chatID(at))
			} else if errors.Is(err, session.ErrNotFound) && !c.t.isBad(bkAddr, addrKey(a)) {
				c.r.Addf("chat %s: its alias leads nowhere", chatID(n))
			}
		}
		if c.t.orphan(chat.Address) && !c.t.isBad(bkTasks, idKey(chat.Address.Chat)) {
			c.r.Addf("chat %s: the task of its agent is missing", chatID(n))
		}
		if !c.t.has(bkSessions, []byte(sessionID(chat.Session))) {
			c.r.Addf("chat %s: its session is missing", chatID(n))
		}
	})
}

func (c *checker) sessions() {
	records(c, bkSessions, func(k []byte, s *sessionRec) {
		c.r.Sessions++
		if s.Past != nil {
			if s.Past.Session != string(k) {
				c.r.Addf("session %s: it calls itself %s", k, s.Past.Session)
			}
			return
		}
		c.chatExists("session "+string(k), s.Chat)
	})
}

func (c *checker) history() {
	gone := map[uint64]bool{}
	c.t.each(bkGone, nil, func(k, _ []byte) bool {
		gone[num(k, 0)] = true
		if c.t.has(bkSessions, []byte(sessionID(num(k, 0)))) {
			c.r.Addf("history: session %s is forgotten and has a record", sessionID(num(k, 0)))
		}
		return true
	})
	var sess, want uint64
	c.t.each(bkHistory, nil, func(k, _ []byte) bool {
		c.r.Entries++
		if gone[num(k, 0)] {
			return true
		}
		if num(k, 0) != sess {
			sess, want = num(k, 0), 1
			if !c.t.has(bkSessions, []byte(sessionID(sess))) {
				c.r.Addf("history: session %s is missing", sessionID(sess))
			}
		}
		for ; want < num(k, 1); want++ {
			if !c.t.isBad(bkHistory, numKey(sess, want)) {
				c.r.Addf("history: entry %d of session %s is missing", want, sessionID(sess))
			}
		}
		want++
		if info, err := c.t.session(sessionID(sess)); err == nil && info.Entries < num(k, 1) {
			c.r.Addf("history: session %s counts %d entries and has one more", sessionID(sess), info.Entries)
		}
		return true
	})
}

func (c *checker) inbox() {
	records(c, bkInbox, func(k []byte, item *session.Item) {
		c.r.Waiting++
		c.chatExists("inbox", num(k, 0))
		rec, err := get[seenRec](c.t, bkSeen, idKey(item.ID))
		if errors.Is(err, session.ErrNotFound) {
			c.r.Addf("inbox: %s waits but is not known as accepted", item.ID)
		}
		if err == nil && (rec.Chat != num(k, 0) || rec.Seq != num(k, 1)) {
			c.r.Addf("inbox: %s waits twice", item.ID)
		}
	})
}

func itemKey(chat, seq uint64) [16]byte { return [16]byte(numKey(chat, seq)) }

func (c *checker) turns() {
	records(c, bkTurns, func(k []byte, turn *turnRec) {
		chat := num(k, 0)
		c.chatExists("turn", chat)
		for _, seq := range turn.Seqs {
			if c.consumed[itemKey(chat, seq)] {
				c.r.Addf("turn: item %d of chat %s was consumed twice", seq, chatID(chat))
			}
			c.consumed[itemKey(chat, seq)] = true
			if c.t.has(bkInbox, numKey(chat, seq)) {
				c.r.Addf("turn: item %d of chat %s was consumed and waits", seq, chatID(chat))
			}
		}
		if !slices.Contains([]session.Outcome{
			session.OutcomeAnswered, session.OutcomeFailed, session.OutcomeStopped, session.OutcomeQuarantined,
		}, turn.Outcome) {
			c.r.Addf("turn: outcome %q", turn.Outcome)
		}
	})
}

// seen checks that everything accepted waits, was consumed, or went with its chat.
func (c *checker) seen() {
	records(c, bkSeen, func(k []byte, s *seenRec) {
		key := numKey(s.Chat, s.Seq)
		switch {
		case c.t.has(bkInbox, key), c.t.isBad(bkInbox, key), c.consumed[itemKey(s.Chat, s.Seq)]:
		case !c.t.has(bkChats, numKey(s.Chat)):
		case c.r.SetAside > 0:
			// It may have been listed as failed together with a damaged one.
		default:
			c.r.Addf("seen: %q was accepted, does not wait and was not consumed", k)
		}
	})
}

func (c *checker) steps() {
	records(c, bkSteps, func(k []byte, _ *stepRec) {
		if !c.t.has(bkInbox, numKey(num(k, 0), num(k, 1))) {
			c.r.Addf("steps: the turn %s has steps and no item", turnID(num(k, 0), num(k, 1)))
		}
	})
	records(c, bkSuspects, func(k []byte, _ *suspectRec) { c.chatExists("suspect", num(k, 0)) })
}

func (c *checker) outbox() {
	records(c, bkOutbox, func(k []byte, o *outRec) {
		c.r.Sending++
		c.chatExists("outbox", num(k, 0))
		sent, err := get[sentRec](c.t, bkSent, idKey(o.Outbound.ID))
		switch {
		case errors.Is(err, session.ErrNotFound):
			c.r.Addf("outbox: %s is queued and its id is not known", o.Outbound.ID)
		case err == nil && (sent.State != "" || sent.Seq != num(k, 1)):
			c.r.Addf("outbox: %s is queued twice", o.Outbound.ID)
		}
		if len(o.Parts) > 0 && len(o.Receipts) >= len(o.Parts) {
			c.r.Addf("outbox: %s has all receipts and is queued", o.Outbound.ID)
		}
	})
	records(c, bkSent, func(k []byte, s *sentRec) {
		key := numKey(s.Chat, s.Seq)
		queued := c.t.has(bkOutbox, key)
		if s.State == "" && !queued && !c.t.isBad(bkOutbox, key) {
			c.r.Addf("sent: %q was accepted, is not queued and was not settled", k)
		}
		if s.State == channels.Delivered && queued {
			c.r.Addf("sent: %q was delivered and is queued", k)
		}
	})
}

func (c *checker) pairs() {
	asking := map[string]bool{}
	records(c, bkAsks, func(k []byte, r *askRec) {
		who := r.who()
		switch {
		case r.Code != string(k):
			c.r.Addf("pairing: the request of %s has the code of another", k)
		case asking[string(who)]:
			c.r.Addf("pairing: %s %s asks twice", r.Address.Channel, r.Sender.ID)
		case c.t.has(bkPairs, who):
			c.r.Addf("pairing: %s %s asks and is paired", r.Address.Channel, r.Sender.ID)
		}
		asking[string(who)] = true
	})
	records(c, bkPairs, func(k []byte, p *session.Pair) {
		if !bytes.Equal(k, personKey(p.Address.Channel, p.Address.Account, p.Sender.ID)) {
			c.r.Addf("pairing: %s %s is paired in the place of another", p.Address.Channel, p.Sender.ID)
		}
	})
}

func (c *checker) moves() {
	records(c, bkMoves, func(k []byte, m *moveRec) {
		if !bytes.Equal(k, addrKey(m.Address)) || len(m.Former) == 0 || slices.Contains(m.Former, m.Chat) {
			c.r.Addf("moves: %s %s: its record is not its own, or tells nothing", m.Channel, m.Chat)
		}
	})
}
