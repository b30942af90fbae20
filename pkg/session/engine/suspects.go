package engine

import (
	"context"
	"math"
)

// maxLost is how many processes may die over a turn before it is set aside.
const maxLost = 3

// alone is how many it takes until the turn runs with no other suspect beside it.
const alone = 2

// markSuspects names the chats with unfinished items after an unclean end. A
// chat that was no suspect becomes one; a suspect counts one more process only
// when its turn had begun in the process that died.
func (t *tx) markSuspects() error {
	type found struct{ chat, head uint64 }
	var pending []found
	t.heads(bkInbox, func(chat, head uint64) {
		if !t.isGone(chat) {
			pending = append(pending, found{chat, head})
		}
	})
	for _, p := range pending {
		rec, err := get[suspectRec](t, bkSuspects, numKey(p.chat))
		switch {
		case err != nil || rec.Head != p.head:
			rec = &suspectRec{Head: p.head, Lost: 1}
		case rec.Begun == t.meta.Epoch:
			rec.Lost++
			rec.Begun = 0
		default:
			continue
		}
		if err := t.put(bkSuspects, numKey(p.chat), rec); err != nil {
			return err
		}
	}
	return nil
}

// loadSuspect reads whether the turn's chat is a suspect.
func (t *turn) loadSuspect(x *tx) {
	key := numKey(t.chat)
	if !x.has(bkSuspects, key) {
		return
	}
	rec, err := get[suspectRec](x, bkSuspects, key)
	if err != nil || rec.Head != t.head {
		rec = &suspectRec{Head: t.head}
	}
	t.suspect = rec
	t.info.Lost = rec.Lost
}

// beginSuspect lets a suspect's turn begin: beside other suspects or alone, and
// with a durable record that it began. For every other turn it does nothing.
func (e *Engine) beginSuspect(ctx context.Context, t *turn) (release func(), err error) {
	if t.suspect == nil || t.suspect.Lost == 0 || t.info.Lost >= maxLost {
		return func() {}, nil
	}
	share := int64(1)
	if t.suspect.Lost >= alone {
		share = math.MaxInt64
	}
	if err := e.suspects.Acquire(ctx, share); err != nil {
		return nil, err
	}
	release = func() { e.suspects.Release(share) }
	rec := *t.suspect
	rec.Begun = e.epoch
	if err := e.write(ctx, func(x *tx) error { return x.put(bkSuspects, numKey(t.chat), rec) }); err != nil {
		release()
		return nil, err
	}
	return release, nil
}
