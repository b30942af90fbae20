package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// Report is what [Check] found.
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

func (r *Report) addf(format string, args ...any) {
	if len(r.Problems) == maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// Check reads the whole store of a directory that no gateway uses: every page,
// every checksum, and what must hold between the records. It writes nothing, also
// where there is no store ([ErrNone]). Its error says that the store could not be read
// at all; what is wrong within it is in the report.
func Check(ctx context.Context, dir string) (Report, error) {
	if err := mustExist(dir); err != nil {
		return Report{}, err
	}
	var o Options
	o.defaults()
	lock, err := shareLock(ctx, dir, o.LockTimeout)
	if err != nil {
		return Report{}, err
	}
	r, err := checkFile(filepath.Join(dir, fileDB))
	if metDamage(dir) {
		r.addf("%v", damaged(damageMet))
	}
	if lock != nil {
		err = errors.Join(err, lock.Close())
	}
	return r, err
}

// Check does the same for a store that is in use, on a copy that it removes.
func (e *Engine) Check(context.Context) (Report, error) {
	e.snapMu.Lock()
	defer e.snapMu.Unlock()
	path := filepath.Join(e.o.Dir, fileChecked)
	if err := e.copyTo(path); err != nil {
		return Report{}, errors.Join(fmt.Errorf("copy the store: %w", err), remove(path))
	}
	r, err := checkFile(path)
	if damage := e.damaged(); damage != nil {
		r.addf("%v", damage)
	}
	return r, errors.Join(err, remove(path))
}

// copyTo writes a consistent copy of the store.
func (e *Engine) copyTo(path string) error {
	return writeCopy(e.store, path)
}

// remove removes a file, if it is there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func checkFile(path string) (Report, error) {
	var r Report
	err := readOnly(path, func(f *fileTx, t *tx) error {
		m, err := readMeta(f, t)
		if err != nil {
			return err
		}
		r.Held = m.Held
		checkPages(f, &r)
		if len(r.Problems) > 0 {
			return nil
		}
		return checkAll(f, t, &r)
	})
	switch {
	case IsDamaged(err):
		r.addf("%v", err)
		return r, nil
	case errors.Is(err, os.ErrNotExist):
		r.addf("%v", damaged("it is gone"))
		return r, nil
	}
	return r, err
}

func checkPages(f *fileTx, r *Report) {
	for err := range f.b.Check() {
		r.addf("page: %v", err)
	}
}

func checkAll(f *fileTx, t *tx, r *Report) error {
	var w walked
	if err := walk(t, &w); err != nil {
		return err
	}
	r.Records = w.records
	for _, b := range w.bad {
		r.addf("%v", b)
	}
	t.each(bkBad, nil, func(_, _ []byte) bool { r.SetAside++; return true })
	c := &checker{t: t, r: r, unlisted: f.lacks(bkTasksOf), consumed: map[[16]byte]bool{}}
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
			c.r.addf("%v", err)
		}
		return true
	})
}

func (c *checker) chatExists(what string, n uint64) {
	known := c.t.has(bkChats, numKey(n)) || c.t.isBad(bkChats, numKey(n)) || c.t.isGone(n)
	if !known {
		c.r.addf("%s: chat %s is missing", what, chatID(n))
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
			c.r.addf("chat %s: its address is none of its aliases", chatID(n))
		}
		for _, a := range chat.Aliases {
			if at, err := c.t.chatAt(a); err == nil && at != n {
				c.r.addf("chat %s: its alias leads to %s", chatID(n), chatID(at))
			} else if errors.Is(err, session.ErrNotFound) && !c.t.isBad(bkAddr, addrKey(a)) {
				c.r.addf("chat %s: its alias leads nowhere", chatID(n))
			}
		}
		if c.t.orphan(chat.Address) && !c.t.isBad(bkTasks, idKey(chat.Address.Chat)) {
			c.r.addf("chat %s: the task of its agent is missing", chatID(n))
		}
		if !c.t.has(bkSessions, []byte(sessionID(chat.Session))) {
			c.r.addf("chat %s: its session is missing", chatID(n))
		}
	})
}

func (c *checker) sessions() {
	records(c, bkSessions, func(k []byte, s *sessionRec) {
		c.r.Sessions++
		if s.Past != nil {
			if s.Past.Session != string(k) {
				c.r.addf("session %s: it calls itself %s", k, s.Past.Session)
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
			c.r.addf("history: session %s is forgotten and has a record", sessionID(num(k, 0)))
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
				c.r.addf("history: session %s is missing", sessionID(sess))
			}
		}
		for ; want < num(k, 1); want++ {
			if !c.t.isBad(bkHistory, numKey(sess, want)) {
				c.r.addf("history: entry %d of session %s is missing", want, sessionID(sess))
			}
		}
		want++
		if info, err := c.t.session(sessionID(sess)); err == nil && info.Entries < num(k, 1) {
			c.r.addf("history: session %s counts %d entries and has one more", sessionID(sess), info.Entries)
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
			c.r.addf("inbox: %s waits but is not known as accepted", item.ID)
		}
		if err == nil && (rec.Chat != num(k, 0) || rec.Seq != num(k, 1)) {
			c.r.addf("inbox: %s waits twice", item.ID)
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
				c.r.addf("turn: item %d of chat %s was consumed twice", seq, chatID(chat))
			}
			c.consumed[itemKey(chat, seq)] = true
			if c.t.has(bkInbox, numKey(chat, seq)) {
				c.r.addf("turn: item %d of chat %s was consumed and waits", seq, chatID(chat))
			}
		}
		if !slices.Contains([]session.Outcome{
			session.OutcomeAnswered, session.OutcomeFailed, session.OutcomeStopped, session.OutcomeQuarantined,
		}, turn.Outcome) {
			c.r.addf("turn: outcome %q", turn.Outcome)
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
			c.r.addf("seen: %q was accepted, does not wait and was not consumed", k)
		}
	})
}

func (c *checker) steps() {
	records(c, bkSteps, func(k []byte, _ *stepRec) {
		if !c.t.has(bkInbox, numKey(num(k, 0), num(k, 1))) {
			c.r.addf("steps: the turn %s has steps and no item", turnID(num(k, 0), num(k, 1)))
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
			c.r.addf("outbox: %s is queued and its id is not known", o.Outbound.ID)
		case err == nil && (sent.State != "" || sent.Seq != num(k, 1)):
			c.r.addf("outbox: %s is queued twice", o.Outbound.ID)
		}
		if len(o.Parts) > 0 && len(o.Receipts) >= len(o.Parts) {
			c.r.addf("outbox: %s has all receipts and is queued", o.Outbound.ID)
		}
	})
	records(c, bkSent, func(k []byte, s *sentRec) {
		key := numKey(s.Chat, s.Seq)
		queued := c.t.has(bkOutbox, key)
		if s.State == "" && !queued && !c.t.isBad(bkOutbox, key) {
			c.r.addf("sent: %q was accepted, is not queued and was not settled", k)
		}
		if s.State == channels.Delivered && queued {
			c.r.addf("sent: %q was delivered and is queued", k)
		}
	})
}

func (c *checker) pairs() {
	asking := map[string]bool{}
	records(c, bkAsks, func(k []byte, r *askRec) {
		who := r.who()
		switch {
		case r.Code != string(k):
			c.r.addf("pairing: the request of %s has the code of another", k)
		case asking[string(who)]:
			c.r.addf("pairing: %s %s asks twice", r.Address.Channel, r.Sender.ID)
		case c.t.has(bkPairs, who):
			c.r.addf("pairing: %s %s asks and is paired", r.Address.Channel, r.Sender.ID)
		}
		asking[string(who)] = true
	})
	records(c, bkPairs, func(k []byte, p *session.Pair) {
		if !bytes.Equal(k, personKey(p.Address.Channel, p.Address.Account, p.Sender.ID)) {
			c.r.addf("pairing: %s %s is paired in the place of another", p.Address.Channel, p.Sender.ID)
		}
	})
}

func (c *checker) moves() {
	records(c, bkMoves, func(k []byte, m *moveRec) {
		if !bytes.Equal(k, addrKey(m.Address)) || len(m.Former) == 0 || slices.Contains(m.Former, m.Chat) {
			c.r.addf("moves: %s %s: its record is not its own, or tells nothing", m.Channel, m.Chat)
		}
	})
}
