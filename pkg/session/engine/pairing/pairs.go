package pairing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/outbox"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/engine/writer"
)

// Pairs are the people whom the operator let in by a code. [New] makes them.
//
// Memory has who is paired, and whether as an owner. It is read anew after
// each change, also one that failed: a failed commit may have reached the disk.
type Pairs struct {
	w   *writer.Writer
	out *outbox.Outbox

	mu     sync.Mutex // held over a change and the reading that follows
	people atomic.Pointer[map[string]pairRight]
}

var _ session.Pairs = (*Pairs)(nil)

// New makes the pairs of a store, which tell codes and notes by its outbox.
func New(w *writer.Writer, out *outbox.Outbox) (*Pairs, error) {
	p := &Pairs{w: w, out: out}
	return p, w.View(p.read)
}

// pairRight is the right that a pair gives.
type pairRight struct{ owner bool }

// AskPair stores a stranger's request and queues the message that tells the code.
func (p *Pairs) AskPair(
	ctx context.Context, r session.PairRequest, out channels.Outbound, b session.PairBounds,
) (session.PairAnswer, error) {
	if err := table.Storable(r.Code, r.Address); err != nil {
		return "", fmt.Errorf("pairing: %w", err)
	}
	prepared, err := p.out.Prepare([]channels.Outbound{out})
	if err != nil {
		return "", err
	}
	var weighed asking
	// Most of what strangers write changes nothing, and then does not wait for the writer.
	err = p.w.View(func(t *table.Tx) error {
		weighed, err = weighAsk(t, &r, out.ID, b)
		return err
	})
	if err != nil || weighed.answer != session.PairAsked {
		return weighed.answer, err
	}
	err = p.w.Do(ctx, func(t *table.Tx) error {
		weighed, err = weighAsk(t, &r, out.ID, b)
		if err != nil || weighed.answer != session.PairAsked {
			return err
		}
		return p.putAsk(t, &r, out.Address, prepared, &weighed)
	})
	return weighed.answer, err
}

// asking is the decision on a request.
type asking struct {
	answer session.PairAnswer
	// over are the requests that have to go for it, yields the one that yields its place.
	over   []table.AskRecord
	yields *table.AskRecord
}

// readAsks reads the stored requests. Of a damaged one only the code is known.
func readAsks(t *table.Tx) []table.AskRecord {
	var all []table.AskRecord
	t.Each(table.Asks, nil, func(k, _ []byte) bool {
		rec, err := table.Get[table.AskRecord](t, table.Asks, k)
		if err != nil {
			rec = &table.AskRecord{PairRequest: session.PairRequest{Code: string(k)}}
		}
		all = append(all, *rec)
		return true
	})
	return all
}

// weighAsk decides on a request. Codes of other accounts are not counted: their
// strangers take no places here.
func weighAsk(t *table.Tx, r *session.PairRequest, outID string, b session.PairBounds) (asking, error) {
	who := table.PersonKey(r.Address.Channel, r.Address.Account, r.Sender.ID)
	if t.Has(table.Sent, table.IDKey(outID)) || t.Has(table.Pairs, who) {
		return asking{answer: session.PairWaiting}, nil
	}
	c := counting{at: r, who: who, grace: b.Grace}
	all := readAsks(t)
	for i := range all {
		c.add(&all[i])
	}
	switch {
	case c.waits:
		return asking{answer: session.PairWaiting}, nil
	case c.open >= b.Open && (c.known || c.oldest == nil):
		return asking{answer: session.PairFull}, nil
	case c.taken:
		return asking{}, fmt.Errorf("pairing code %s is in use", r.Code)
	}
	w := asking{answer: session.PairAsked, over: c.own}
	if c.open >= b.Open {
		w.yields = c.oldest
	}
	if c.open+c.kept+len(c.expired) >= b.Open {
		w.over = append(w.over, c.expired...)
	}
	return w, nil
}

// counting weighs the stored requests against a new one.
type counting struct {
	at    *session.PairRequest
	who   []byte
	grace time.Duration
	// waits: the person has a code that is good. known: the person's code yielded its
	// place and would be good else. taken: somebody has the new code.
	waits, known, taken bool
	// open and kept are the codes of the account that are good, and that yielded.
	open, kept int
	// own are the person's that are over, expired those of others; oldest is the one that
	// may yield.
	own, expired []table.AskRecord
	oldest       *table.AskRecord
}

func (c *counting) add(rec *table.AskRecord) {
	now := c.at.Asked
	c.taken = c.taken || rec.Code == c.at.Code
	switch good := rec.Open(now); {
	case bytes.Equal(rec.Person(), c.who):
		c.waits = c.waits || good
		// A person with a code that yielded pushes out no other as long as it would be
		// good.
		c.known = c.known || now.Before(rec.Expires)
		c.own = append(c.own, *rec)
	case !now.Before(rec.Expires):
		c.expired = append(c.expired, *rec)
	case rec.Address.Channel != c.at.Address.Channel || rec.Address.Account != c.at.Address.Account:
	case !good:
		c.kept++
	default:
		c.open++
		if !now.Before(rec.Asked.Add(c.grace)) && (c.oldest == nil || rec.Asked.Before(c.oldest.Asked)) {
			c.oldest = rec
		}
	}
}

// putAsk stores a request in the place of those that are over.
func (p *Pairs) putAsk(t *table.Tx, r *session.PairRequest, to channels.Address, out outbox.Prepared, w *asking) error {
	for i := range w.over {
		if err := dropAsk(t, &w.over[i]); err != nil {
			return err
		}
	}
	if w.yields != nil {
		w.yields.Yielded = true
		if err := t.Put(table.Asks, []byte(w.yields.Code), *w.yields); err != nil {
			return err
		}
	}
	n, at := table.ChatAt(t, r.Address)
	if at == nil {
		// A sender can be reached again.
		if err := rules.Reached(t, n); err != nil {
			return err
		}
	}
	made, err := p.putMaking(t, to, out)
	if err != nil {
		return err
	}
	return t.Put(table.Asks, []byte(r.Code), table.AskRecord{PairRequest: *r, Made: made})
}

// putMaking queues a message. Where its chat was made for it, made is the chat's
// session, else 0.
func (p *Pairs) putMaking(t *table.Tx, to channels.Address, out outbox.Prepared) (made uint64, err error) {
	_, at := table.ChatAt(t, to)
	if err := p.out.Put(t, 0, out); err != nil || !errors.Is(at, session.ErrNotFound) {
		return 0, err
	}
	n, err := table.ChatAt(t, to)
	if err != nil {
		return 0, err
	}
	c, err := table.ReadChat(t, n)
	if err != nil {
		return 0, err
	}
	return c.Session, nil
}

// dropAsk deletes a request that is over, and with it the chat that was made for it
// alone: strangers leave no record behind.
func dropAsk(t *table.Tx, r *table.AskRecord) error {
	if _, err := t.Raw(table.Asks, []byte(r.Code)); err != nil {
		return t.SetAside(table.Asks, []byte(r.Code))
	}
	if err := t.Delete(table.Asks, []byte(r.Code)); err != nil {
		return err
	}
	return dropMade(t, r.Address, r.Made)
}

// dropMade deletes a chat that was made, with the session made, only for a message of
// pairing, unless it was used since.
func dropMade(t *table.Tx, at channels.Address, made uint64) error {
	n, err := table.ChatAt(t, at)
	if err != nil || made == 0 {
		return nil //nolint:nilerr // there is no chat to delete
	}
	c, err := table.ReadChat(t, n)
	if err != nil || c.Session != made || c.Entries > 0 {
		return nil //nolint:nilerr // it has been used since
	}
	for _, b := range []table.Bucket{table.Inbox, table.Outbox, table.Turns} {
		if k, _ := t.First(b, table.NumKey(n)); k != nil {
			return nil
		}
	}
	if err := t.Delete(table.Sessions, []byte(table.SessionID(c.Session))); err != nil {
		return err
	}
	return rules.ForgetChat(t, n)
}

// ApprovePair turns a request into a pair.
func (p *Pairs) ApprovePair(ctx context.Context, code string, a session.PairApproval) (session.Pair, error) {
	var pair session.Pair
	err := p.change(ctx, func(t *table.Tx) error {
		rec, err := table.Get[table.AskRecord](t, table.Asks, []byte(code))
		if err != nil {
			return fmt.Errorf("pairing code %s: %w", code, err)
		}
		if !rec.Open(a.Now) {
			return fmt.Errorf("pairing code %s: %w", code, session.ErrExpired)
		}
		out, err := p.out.Prepare([]channels.Outbound{a.Notice(rec.PairRequest)})
		if err != nil {
			return err
		}
		pair = session.Pair{Address: rec.Address, Sender: rec.Sender, Since: a.Now, Owner: a.Owner}
		if err := t.Put(table.Pairs, rec.Person(), &table.PairRecord{Pair: pair}); err != nil {
			return err
		}
		if err := t.Delete(table.Asks, []byte(code)); err != nil {
			return err
		}
		return p.out.Put(t, 0, out)
	})
	if err != nil {
		return session.Pair{}, err
	}
	return pair, nil
}

// RevokePairs ends the pairs of an id.
func (p *Pairs) RevokePairs(ctx context.Context, channel, account, id string) ([]session.Pair, error) {
	var ended []session.Pair
	err := p.change(ctx, func(t *table.Tx) error {
		ended = nil
		var keys [][]byte
		var notes []table.PairNote
		t.Each(table.Pairs, nil, func(k, _ []byte) bool {
			p, err := table.Get[table.PairRecord](t, table.Pairs, k)
			if err == nil && p.Address.Channel == channel && (account == "" || p.Address.Account == account) && p.Sender.ID == id {
				ended, keys = append(ended, p.Pair), append(keys, bytes.Clone(k))
				notes = append(notes, p.Notes...)
			}
			return true
		})
		if len(keys) == 0 {
			return fmt.Errorf("pair of %s %s: %w", channel, id, session.ErrNotFound)
		}
		for _, k := range keys {
			if err := t.Delete(table.Pairs, k); err != nil {
				return err
			}
		}
		return dropNotes(t, notes)
	})
	if err != nil {
		return nil, err
	}
	return ended, nil
}

// change changes the paired people, and knows it when it returns.
func (p *Pairs) change(ctx context.Context, change func(*table.Tx) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.w.Do(ctx, change), p.w.View(p.read))
}

// read takes the pairs into memory. A damaged one lets nobody in.
func (p *Pairs) read(t *table.Tx) error {
	people := map[string]pairRight{}
	t.Each(table.Pairs, nil, func(k, _ []byte) bool {
		if rec, err := table.Get[table.PairRecord](t, table.Pairs, k); err == nil {
			people[string(k)] = pairRight{owner: rec.Owner}
		}
		return true
	})
	p.people.Store(&people)
	return nil
}

// Paired says whether somebody is paired, and whether as an owner.
func (p *Pairs) Paired(channel, account, id string) (paired, owner bool) {
	right, paired := (*p.people.Load())[string(table.PersonKey(channel, account, id))]
	return paired, right.owner
}

// PairList returns the pairs and the stored requests, the oldest first.
func (p *Pairs) PairList(ctx context.Context) ([]session.Pair, []session.PairRequest, error) {
	var pairs []session.Pair
	var asks []session.PairRequest
	var bad []*table.RecordError
	err := p.w.View(func(t *table.Tx) error {
		bad = table.Collect(t, table.Pairs, func(p *table.PairRecord) { pairs = append(pairs, p.Pair) })
		bad = append(bad, table.Collect(t, table.Asks, func(r *table.AskRecord) { asks = append(asks, r.PairRequest) })...)
		return nil
	})
	p.w.SetAside(ctx, bad)
	slices.SortStableFunc(pairs, func(a, b session.Pair) int { return a.Since.Compare(b.Since) })
	slices.SortStableFunc(asks, func(a, b session.PairRequest) int {
		return cmp.Or(a.Asked.Compare(b.Asked), cmp.Compare(a.Code, b.Code))
	})
	return pairs, asks, err
}
