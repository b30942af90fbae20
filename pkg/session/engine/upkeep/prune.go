package upkeep

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/engine/rules"
	"parley/pkg/session/engine/table"
)

// Records that are kept for a while are pruned without an index by age, which every
// commit would have to write: a cursor goes round over all of them, faster than they
// grow, and takes away the old ones.

const (
	// How many records a look at the old ones passes at least, and how many for each
	// that was added since the last look.
	sweepLeast = 250
	sweepPace  = 2
	// How many of them one transaction passes.
	sweepBatch = 500
)

// remembered are the buckets with records that are pruned by age.
func remembered() []table.Bucket {
	return []table.Bucket{
		table.Seen, table.Sent, table.Turns, table.Tasks, table.Approvals, table.Grants, table.Spent,
		table.Shares, table.Uses, table.Sums, table.Programs, table.Chats,
	}
}

// keepSpent is how much longer than the rest the use of a day is known, and the program that
// asked for a turn: calls may wait for it for long.
const keepSpent = 40 * 24 * time.Hour

// pruneCursor is where the pruning goes on: behind a key of a bucket.
type pruneCursor struct {
	bucket table.Bucket
	key    []byte
}

// String is the stored form.
func (h pruneCursor) String() string {
	return string(h.bucket) + "/" + base64.RawStdEncoding.EncodeToString(h.key)
}

// parseCursor reads the stored form; an unreadable one begins at the beginning.
func parseCursor(s string) pruneCursor {
	name, text, _ := strings.Cut(s, "/")
	key, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !slices.Contains(remembered(), table.Bucket(name)) {
		return pruneCursor{bucket: remembered()[0]}
	}
	return pruneCursor{bucket: table.Bucket(name), key: key}
}

// Prune passes over a part of the remembered records, and deletes the old ones.
func (k *Keeper) Prune(ctx context.Context) {
	cursor, grown := k.w.State.Pruned()
	budget := max(sweepLeast, sweepPace*grown)
	h := parseCursor(cursor)
	p := pruning{retain: k.o.Retain, leaps: k.uptime.passed()}
	for round := false; budget > 0 && !round; {
		limit := min(budget, sweepBatch)
		budget -= limit
		var next pruneCursor
		var old []pruneCursor
		if err := k.w.View(func(t *table.Tx) error { next, round, old = p.sweep(t, h, limit); return nil }); err != nil {
			return
		}
		if len(old) > 0 {
			if err := k.w.Do(ctx, func(t *table.Tx) error { return p.pruneAll(t, old) }); err != nil {
				k.o.Log.Warn().Err(err).Msg("old records could not be pruned")
				return
			}
		}
		h = next
		k.w.State.SetPruned(h.String()) // stored with the next transaction
	}
}

// pruning is a look at old records.
type pruning struct {
	retain time.Duration // how long a record stays
	leaps  []leap        // the time that does not count for that
}

// sweep passes over up to limit records from h on and says where it stopped,
// whether it came round before that, and which records are old.
func (p *pruning) sweep(t *table.Tx, h pruneCursor, limit int) (next pruneCursor, round bool, old []pruneCursor) {
	all := remembered()
	at := slices.Index(all, h.bucket)
	passed := 0
	for range all {
		c := t.Cursor(all[at])
		k, v := c.Seek(h.key)
		if k != nil && h.key != nil && bytes.Equal(k, h.key) {
			k, v = c.Next()
		}
		for ; k != nil; k, v = c.Next() {
			if passed == limit {
				return h, false, old
			}
			passed++
			h = pruneCursor{bucket: all[at], key: bytes.Clone(k)}
			if p.isOld(t, all[at], k, v) {
				old = append(old, h)
			}
		}
		at = (at + 1) % len(all)
		h = pruneCursor{bucket: all[at]}
	}
	return h, true, old
}

// hasGone says whether that is gone which a record goes with: the id of a sum, and for a use
// the record of its turn and an item that the turn has yet to consume.
func hasGone(t *table.Tx, b table.Bucket, k []byte) bool {
	if b == table.Sums {
		return !t.Has(table.Seen, k)
	}
	return !t.Has(table.Turns, k) && !t.Has(table.Inbox, k)
}

// isOld says whether a record's time has come. A damaged one is old at once, except a chat.
func (p *pruning) isOld(t *table.Tx, b table.Bucket, k, v []byte) bool {
	if b == table.Chats {
		return p.hasPassed(t, k)
	}
	payload, err := table.Unseal(b, k, v)
	if err != nil {
		return true
	}
	var since time.Time
	switch b {
	case table.Seen:
		since, err = timeOf(b, k, payload, func(r *table.SeenRecord) time.Time { return r.Time })
	case table.Sent:
		since, err = timeOf(b, k, payload, func(r *table.SentRecord) time.Time { return r.Time })
	case table.Turns:
		since, err = timeOf(b, k, payload, func(r *table.TurnRecord) time.Time { return r.Time })
	case table.Approvals:
		since, err = timeOf(b, k, payload, func(r *session.Approval) time.Time { return r.Expires })
	case table.Grants:
		since, err = timeOf(b, k, payload, func(r *session.Grant) time.Time { return r.Expires })
	case table.Spent, table.Shares:
		if since, err = time.Parse(time.DateOnly, table.SpentDay(k)); err == nil {
			since = since.Add(keepSpent)
		}
	case table.Programs:
		since, err = timeOf(b, k, payload, func(r *session.Program) time.Time { return r.Ended.Add(keepSpent) })
	case table.Uses, table.Sums:
		return hasGone(t, b, k)
	default:
		since, err = timeOf(b, k, payload, func(r *session.Task) time.Time {
			if r.State == session.TaskRunning {
				return t.Now
			}
			return r.Ended
		})
	}
	return err != nil || lived(p.leaps, since, t.Now) > p.retain
}

// hasPassed says that a chat of one request is over, and was for long.
func (p *pruning) hasPassed(t *table.Tx, chat []byte) bool {
	c, err := table.ReadChat(t, table.Num(chat, 0))
	return err == nil && c.Address.Passing() && lived(p.leaps, c.Active, t.Now) > p.retain && idle(t, chat)
}

// idle says that nothing waits in a chat, and that no work of its is kept.
func idle(t *table.Tx, chat []byte) bool {
	for _, b := range []table.Bucket{table.Inbox, table.Outbox, table.TasksOf} {
		if k, _ := t.First(b, chat); k != nil {
			return false
		}
	}
	return true
}

func timeOf[T any](b table.Bucket, k, payload []byte, f func(*T) time.Time) (time.Time, error) {
	rec, err := table.Decode[T](b, k, payload)
	if err != nil {
		return time.Time{}, err
	}
	return f(rec), nil
}

// pruneAll deletes the records that are still old. The id of a waiting item is
// remembered anew.
func (p *pruning) pruneAll(t *table.Tx, old []pruneCursor) error {
	var tasks [][]byte
	var chats []uint64
	for _, h := range old {
		v := t.Value(h.bucket, h.key)
		if v == nil || !p.isOld(t, h.bucket, h.key, v) {
			continue
		}
		if h.bucket == table.Tasks {
			tasks = append(tasks, h.key)
			continue
		}
		if h.bucket == table.Chats {
			chats = append(chats, table.Num(h.key, 0))
			continue
		}
		if err := pruneOne(t, h); err != nil {
			return err
		}
	}
	if err := rules.ForgetChats(t, chats...); err != nil {
		return err
	}
	return rules.DropTasks(t, tasks)
}

func pruneOne(t *table.Tx, h pruneCursor) error {
	if _, err := t.Raw(h.bucket, h.key); err != nil {
		return t.SetAside(h.bucket, h.key)
	}
	switch h.bucket {
	case table.Seen:
		if rec, err := table.Get[table.SeenRecord](t, table.Seen, h.key); err == nil && t.Has(table.Inbox, table.NumKey(rec.Chat, rec.Seq)) {
			rec.Time = t.Now
			return t.Put(table.Seen, h.key, rec)
		}
	case table.Sent:
		if rec, err := table.Get[table.SentRecord](t, table.Sent, h.key); err == nil &&
			rec.State == "" && t.Has(table.Outbox, table.NumKey(rec.Chat, rec.Seq)) {
			rec.Time = t.Now
			return t.Put(table.Sent, h.key, rec)
		}
	default:
	}
	return t.Delete(h.bucket, h.key)
}
