package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"parley/pkg/session"
)

// What is remembered for a while is pruned without an index by age, which every
// commit would have to write: a hand goes round over all of it, faster than it
// grows, and takes away what is old.

const (
	// How many records a look at what is old passes at least, and how many for
	// each that was added since the last look.
	sweepLeast = 250
	sweepPace  = 2
	// How many of them one transaction passes.
	sweepBatch = 500
)

// remembered are the buckets whose records are pruned by age.
func remembered() []bucket {
	return []bucket{bkSeen, bkSent, bkTurns, bkTasks, bkApprovals, bkGrants, bkSpent}
}

// keepSpent is how much longer than the rest it is known what was used on a day.
const keepSpent = 40 * 24 * time.Hour

// hand is where the pruning goes on: behind a key of a bucket.
type hand struct {
	bucket bucket
	key    []byte
}

// String is the stored form.
func (h hand) String() string {
	return string(h.bucket) + "/" + base64.RawStdEncoding.EncodeToString(h.key)
}

// parseHand reads the stored form; what cannot be read begins at the beginning.
func parseHand(s string) hand {
	name, text, _ := strings.Cut(s, "/")
	key, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !slices.Contains(remembered(), bucket(name)) {
		return hand{bucket: remembered()[0]}
	}
	return hand{bucket: bucket(name), key: key}
}

// prune passes over a part of what is remembered. Only the housekeeping calls it.
func (e *Engine) prune(ctx context.Context) {
	e.stateMu.Lock()
	budget := max(sweepLeast, sweepPace*e.grown)
	e.grown = 0
	h := parseHand(e.meta.Hand)
	e.stateMu.Unlock()
	for round := false; budget > 0 && !round; {
		limit := min(budget, sweepBatch)
		budget -= limit
		var next hand
		var old []hand
		if err := e.view(func(t *tx) error { next, round, old = t.sweep(h, limit); return nil }); err != nil {
			return
		}
		if len(old) > 0 {
			if err := e.write(ctx, func(t *tx) error { return t.pruneAll(old) }); err != nil {
				e.o.Log.Warn().Err(err).Msg("old records could not be pruned")
				return
			}
		}
		h = next
		e.stateMu.Lock()
		e.meta.Hand = h.String() // stored with whatever is written next
		e.stateMu.Unlock()
	}
}

// sweep passes over up to limit records from h on and says where it stopped,
// whether it came round before that, and which records are old.
func (t *tx) sweep(h hand, limit int) (next hand, round bool, old []hand) {
	all := remembered()
	at := slices.Index(all, h.bucket)
	passed := 0
	for range all {
		c := t.k.Cursor(all[at])
		k, v := c.Seek(h.key)
		if k != nil && h.key != nil && bytes.Equal(k, h.key) {
			k, v = c.Next()
		}
		for ; k != nil; k, v = c.Next() {
			if passed == limit {
				return h, false, old
			}
			passed++
			h = hand{bucket: all[at], key: bytes.Clone(k)}
			if t.isOld(all[at], k, v) {
				old = append(old, h)
			}
		}
		at = (at + 1) % len(all)
		h = hand{bucket: all[at]}
	}
	return h, true, old
}

// isOld says whether a record's time has come. A damaged one is old at once.
func (t *tx) isOld(b bucket, k, v []byte) bool {
	payload, err := unseal(b, k, v)
	if err != nil {
		return true
	}
	var since time.Time
	switch b {
	case bkSeen:
		since, err = timeOf(b, k, payload, func(r *seenRec) time.Time { return r.Time })
	case bkSent:
		since, err = timeOf(b, k, payload, func(r *sentRec) time.Time { return r.Time })
	case bkTurns:
		since, err = timeOf(b, k, payload, func(r *turnRec) time.Time { return r.Time })
	case bkApprovals:
		since, err = timeOf(b, k, payload, func(r *session.Approval) time.Time { return r.Expires })
	case bkGrants:
		since, err = timeOf(b, k, payload, func(r *session.Grant) time.Time { return r.Expires })
	case bkSpent:
		if since, err = time.Parse(time.DateOnly, string(k[chatKeyLen:])); err == nil {
			since = since.Add(keepSpent)
		}
	default:
		since, err = timeOf(b, k, payload, func(r *session.Task) time.Time {
			if r.State == session.TaskRunning {
				return t.now
			}
			return r.Ended
		})
	}
	return err != nil || lived(t.leaps, since, t.now) > t.retain
}

func timeOf[T any](b bucket, k, payload []byte, f func(*T) time.Time) (time.Time, error) {
	rec, err := decode[T](b, k, payload)
	if err != nil {
		return time.Time{}, err
	}
	return f(rec), nil
}

// pruneAll deletes what is still old. The id of what waits is remembered anew.
func (t *tx) pruneAll(old []hand) error {
	var tasks [][]byte
	for _, h := range old {
		v := t.k.Get(h.bucket, h.key)
		if v == nil || !t.isOld(h.bucket, h.key, v) {
			continue
		}
		if h.bucket == bkTasks {
			tasks = append(tasks, h.key)
			continue
		}
		if err := t.pruneOne(h); err != nil {
			return err
		}
	}
	return t.dropTasks(tasks)
}

func (t *tx) pruneOne(h hand) error {
	if _, err := t.raw(h.bucket, h.key); err != nil {
		return t.setAside(h.bucket, h.key)
	}
	switch h.bucket {
	case bkSeen:
		if rec, err := get[seenRec](t, bkSeen, h.key); err == nil && t.has(bkInbox, numKey(rec.Chat, rec.Seq)) {
			rec.Time = t.now
			return t.put(bkSeen, h.key, rec)
		}
	case bkSent:
		if rec, err := get[sentRec](t, bkSent, h.key); err == nil && rec.State == "" && t.has(bkOutbox, numKey(rec.Chat, rec.Seq)) {
			rec.Time = t.now
			return t.put(bkSent, h.key, rec)
		}
	default:
	}
	return t.del(h.bucket, h.key)
}
