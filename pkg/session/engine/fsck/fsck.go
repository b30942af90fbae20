package fsck

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
)

// Report has the findings of a check.
type Report struct {
	// Records counts everything that is stored.
	Records int `json:"records"`
	// Chats, Sessions and Entries count the conversations and their entries.
	Chats    int `json:"chats"`
	Sessions int `json:"sessions"`
	Entries  int `json:"entries"`
	// Waiting are inbox items, Sending outgoing messages, SetAside damaged records.
	Waiting  int `json:"waiting"`
	Sending  int `json:"sending"`
	SetAside int `json:"set_aside"`
	// Held is the reason for which the store rests, empty when it is in use.
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

// Check reads the whole store: every checksum, and the rules between the
// records. Unlisted says that an earlier build wrote it, without the indexes by chat.
func Check(k kv.Reader, unlisted bool, r *Report) error {
	t := table.NewTx(k, time.Time{})
	var w table.Walked
	if err := table.Walk(t, &w); err != nil {
		return err
	}
	r.Records = w.Records
	for _, b := range w.Bad {
		r.Addf("%v", b)
	}
	t.Each(table.Bad, nil, func(_, _ []byte) bool { r.SetAside++; return true })
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
	c.tokens()
	c.links()
	c.told()
	return nil
}

// checker looks at the rules between records. Damaged records were reported before and
// are passed over.
type checker struct {
	t *table.Tx
	r *Report
	// unlisted says that an earlier build wrote the store, without the indexes by chat.
	unlisted bool
	// consumed holds chat and sequence number of the items of committed turns.
	consumed map[[16]byte]bool
}

// records calls f with each readable record of a bucket.
func records[T any](c *checker, b table.Bucket, f func(key []byte, v *T)) {
	c.t.Each(b, nil, func(k, _ []byte) bool {
		if v, err := table.Get[T](c.t, b, k); err == nil {
			f(k, v)
		} else if _, sealErr := c.t.Raw(b, k); sealErr == nil && (b != table.Spent || !table.Misplaced(k)) {
			c.r.Addf("%v", err)
		}
		return true
	})
}

func (c *checker) chatExists(what string, n uint64) {
	known := c.t.Has(table.Chats, table.NumKey(n)) || c.t.IsBad(table.Chats, table.NumKey(n)) || table.IsGone(c.t, n)
	if !known {
		c.r.Addf("%s: chat %s is missing", what, table.ChatID(n))
	}
}

func (c *checker) chats() {
	c.t.Each(table.Addr, nil, func(k, _ []byte) bool {
		if payload, err := c.t.Raw(table.Addr, k); err == nil && len(payload) == 8 {
			c.chatExists("an address", binary.BigEndian.Uint64(payload))
		}
		return true
	})
	records(c, table.Chats, func(k []byte, chat *table.ChatRecord) {
		c.r.Chats++
		n := table.Num(k, 0)
		if !slices.Contains(chat.Aliases, chat.Address) {
			c.r.Addf("chat %s: its address is none of its aliases", table.ChatID(n))
		}
		for _, a := range chat.Aliases {
			if at, err := table.ChatAt(c.t, a); err == nil && at != n {
				c.r.Addf("chat %s: its alias leads to %s", table.ChatID(n), table.ChatID(at))
			} else if errors.Is(err, session.ErrNotFound) && !c.t.IsBad(table.Addr, table.AddrKey(a)) {
				c.r.Addf("chat %s: its alias leads nowhere", table.ChatID(n))
			}
		}
		if table.Orphan(c.t, chat.Address) && !c.t.IsBad(table.Tasks, table.IDKey(chat.Address.Chat)) {
			c.r.Addf("chat %s: the task of its agent is missing", table.ChatID(n))
		}
		switch s, err := table.Get[table.SessionRecord](c.t, table.Sessions, []byte(table.SessionID(chat.Session))); {
		case errors.Is(err, session.ErrNotFound):
			c.r.Addf("chat %s: its session is missing", table.ChatID(n))
		case err == nil && (s.Past != nil || s.Chat != n):
			c.r.Addf("chat %s: its session was left behind, or is of another chat", table.ChatID(n))
		}
	})
}

func (c *checker) sessions() {
	records(c, table.Sessions, func(k []byte, s *table.SessionRecord) {
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
	c.t.Each(table.Gone, nil, func(k, _ []byte) bool {
		gone[table.Num(k, 0)] = true
		if c.t.Has(table.Sessions, []byte(table.SessionID(table.Num(k, 0)))) {
			c.r.Addf("history: session %s is forgotten and has a record", table.SessionID(table.Num(k, 0)))
		}
		return true
	})
	var sess, want uint64
	c.t.Each(table.History, nil, func(k, _ []byte) bool {
		c.r.Entries++
		if gone[table.Num(k, 0)] {
			return true
		}
		if table.Num(k, 0) != sess {
			sess, want = table.Num(k, 0), 1
			if !c.t.Has(table.Sessions, []byte(table.SessionID(sess))) {
				c.r.Addf("history: session %s is missing", table.SessionID(sess))
			}
		}
		for ; want < table.Num(k, 1); want++ {
			if !c.t.IsBad(table.History, table.NumKey(sess, want)) {
				c.r.Addf("history: entry %d of session %s is missing", want, table.SessionID(sess))
			}
		}
		want++
		if info, err := table.ReadSession(c.t, table.SessionID(sess)); err == nil && info.Entries < table.Num(k, 1) {
			c.r.Addf("history: session %s counts %d entries and has one more", table.SessionID(sess), info.Entries)
		}
		return true
	})
}

func (c *checker) inbox() {
	records(c, table.Inbox, func(k []byte, item *session.Item) {
		c.r.Waiting++
		c.chatExists("inbox", table.Num(k, 0))
		rec, err := table.Get[table.SeenRecord](c.t, table.Seen, table.IDKey(item.ID))
		if errors.Is(err, session.ErrNotFound) {
			c.r.Addf("inbox: %s waits but is not known as accepted", item.ID)
		}
		if err == nil && (rec.Chat != table.Num(k, 0) || rec.Seq != table.Num(k, 1)) {
			c.r.Addf("inbox: %s waits twice", item.ID)
		}
	})
}

func itemKey(chat, seq uint64) [16]byte { return [16]byte(table.NumKey(chat, seq)) }

func (c *checker) turns() {
	records(c, table.Turns, func(k []byte, turn *table.TurnRecord) {
		chat := table.Num(k, 0)
		c.chatExists("turn", chat)
		for _, seq := range turn.Seqs {
			if c.consumed[itemKey(chat, seq)] {
				c.r.Addf("turn: item %d of chat %s was consumed twice", seq, table.ChatID(chat))
			}
			c.consumed[itemKey(chat, seq)] = true
			if c.t.Has(table.Inbox, table.NumKey(chat, seq)) {
				c.r.Addf("turn: item %d of chat %s was consumed and waits", seq, table.ChatID(chat))
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
	records(c, table.Seen, func(k []byte, s *table.SeenRecord) {
		key := table.NumKey(s.Chat, s.Seq)
		switch {
		case c.t.Has(table.Inbox, key), c.t.IsBad(table.Inbox, key), c.consumed[itemKey(s.Chat, s.Seq)]:
		case !c.t.Has(table.Chats, table.NumKey(s.Chat)):
		case c.r.SetAside > 0:
			// It may have been listed as failed together with a damaged one.
		default:
			c.r.Addf("seen: %q was accepted, does not wait and was not consumed", k)
		}
	})
}

func (c *checker) steps() {
	records(c, table.Steps, func(k []byte, _ *table.StepRecord) {
		if !c.t.Has(table.Inbox, table.NumKey(table.Num(k, 0), table.Num(k, 1))) {
			c.r.Addf("steps: the turn %s has steps and no item", table.TurnID(table.Num(k, 0), table.Num(k, 1)))
		}
	})
	records(c, table.Suspects, func(k []byte, _ *table.SuspectRecord) { c.chatExists("suspect", table.Num(k, 0)) })
}

func (c *checker) outbox() {
	records(c, table.Outbox, func(k []byte, o *table.OutRecord) {
		c.r.Sending++
		c.chatExists("outbox", table.Num(k, 0))
		sent, err := table.Get[table.SentRecord](c.t, table.Sent, table.IDKey(o.Outbound.ID))
		switch {
		case errors.Is(err, session.ErrNotFound):
			c.r.Addf("outbox: %s is queued and its id is not known", o.Outbound.ID)
		case err == nil && (sent.State != "" || sent.Seq != table.Num(k, 1)):
			c.r.Addf("outbox: %s is queued twice", o.Outbound.ID)
		}
		if len(o.Parts) > 0 && len(o.Receipts) >= len(o.Parts) {
			c.r.Addf("outbox: %s has all receipts and is queued", o.Outbound.ID)
		}
	})
	records(c, table.Sent, func(k []byte, s *table.SentRecord) {
		key := table.NumKey(s.Chat, s.Seq)
		queued := c.t.Has(table.Outbox, key)
		if s.State == "" && !queued && !c.t.IsBad(table.Outbox, key) {
			c.r.Addf("sent: %q was accepted, is not queued and was not settled", k)
		}
		if s.State == channels.Delivered && queued {
			c.r.Addf("sent: %q was delivered and is queued", k)
		}
	})
}

func (c *checker) pairs() {
	asking := map[string]bool{}
	records(c, table.Asks, func(k []byte, r *table.AskRecord) {
		who := r.Person()
		switch {
		case r.Code != string(k):
			c.r.Addf("pairing: the request of %s has the code of another", k)
		case asking[string(who)]:
			c.r.Addf("pairing: %s %s asks twice", r.Address.Channel, r.Sender.ID)
		case c.t.Has(table.Pairs, who):
			c.r.Addf("pairing: %s %s asks and is paired", r.Address.Channel, r.Sender.ID)
		}
		asking[string(who)] = true
	})
	records(c, table.Pairs, func(k []byte, p *session.Pair) {
		if !bytes.Equal(k, table.PersonKey(p.Address.Channel, p.Address.Account, p.Sender.ID)) {
			c.r.Addf("pairing: %s %s is paired in the place of another", p.Address.Channel, p.Sender.ID)
		}
	})
}

func (c *checker) tokens() {
	ids := map[string]bool{}
	records(c, table.Tokens, func(k []byte, t *session.Token) {
		if len(k) != len(session.TokenHash{}) || t.ID == "" || ids[t.ID] {
			c.r.Addf("tokens: %q has no key or no id of its own", t.ID)
		}
		ids[t.ID] = true
	})
}

func (c *checker) links() {
	records(c, table.Links, func(k []byte, l *session.Link) {
		if !bytes.Equal(k, table.AddrKey(l.Address)) || l.ID == "" || l.Person == "" {
			c.r.Addf("links: %s %s: the link is not its own, or has no person", l.Address.Channel, l.Address.Chat)
		}
	})
}

func (c *checker) moves() {
	records(c, table.Moves, func(k []byte, m *table.MoveRecord) {
		if !bytes.Equal(k, table.AddrKey(m.Address)) || len(m.Former) == 0 || slices.Contains(m.Former, m.Chat) {
			c.r.Addf("moves: %s %s: its record is not its own, or tells nothing", m.Channel, m.Chat)
		}
	})
}
