package engine

import (
	"context"
	"math"

	"parley/pkg/session/engine/table"
)

// maxLost is how many processes may die over a turn before it is set aside.
const maxLost = 3

// alone is how many it takes until the turn runs with no other suspect beside it.
const alone = 2

// markSuspects names the chats with unfinished items after an unclean end. A
// chat that was no suspect becomes one; a suspect counts one more process only
// when its turn had begun in the process that died.
func markSuspects(t *table.Tx) error {
	type found struct{ chat, head uint64 }
	var pending []found
	t.Heads(table.Inbox, func(chat, head uint64) {
		if !table.IsGone(t, chat) {
			pending = append(pending, found{chat, head})
		}
	})
	for _, p := range pending {
		rec, err := table.Get[table.SuspectRecord](t, table.Suspects, table.NumKey(p.chat))
		switch {
		case err != nil || rec.Head != p.head:
			rec = &table.SuspectRecord{Head: p.head, Lost: 1}
		case rec.Begun == t.Meta.Epoch:
			rec.Lost++
			rec.Begun = 0
		default:
			continue
		}
		if err := t.Put(table.Suspects, table.NumKey(p.chat), rec); err != nil {
			return err
		}
	}
	return nil
}

// loadSuspect reads whether the turn's chat is a suspect.
func (t *turn) loadSuspect(x *table.Tx) {
	key := table.NumKey(t.chat)
	if !x.Has(table.Suspects, key) {
		return
	}
	rec, err := table.Get[table.SuspectRecord](x, table.Suspects, key)
	if err != nil || rec.Head != t.head {
		rec = &table.SuspectRecord{Head: t.head}
	}
	t.suspect = rec
	t.info.Lost = rec.Lost
}

// beginSuspect lets a suspect's turn begin: beside other suspects or alone, and with a
// durable record that it began. For every other turn it has no effect.
func (ib *inbox) beginSuspect(ctx context.Context, t *turn) (release func(), err error) {
	if t.suspect == nil || t.suspect.Lost == 0 || t.info.Lost >= maxLost {
		return func() {}, nil
	}
	share := int64(1)
	if t.suspect.Lost >= alone {
		share = math.MaxInt64
	}
	if err := ib.suspects.Acquire(ctx, share); err != nil {
		return nil, err
	}
	release = func() { ib.suspects.Release(share) }
	rec := *t.suspect
	rec.Begun = ib.w.State.Epoch()
	if err := ib.w.Do(ctx, func(x *table.Tx) error { return x.Put(table.Suspects, table.NumKey(t.chat), rec) }); err != nil {
		release()
		return nil, err
	}
	return release, nil
}
