package turn

import (
	"context"

	"parley/pkg/agent/prompt"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// Senses put words in the place of recordings and pictures, which a turn's model cannot hear or
// see.
type Senses interface {
	// Perceive looks at the fetched files of items before the model reads these: it sets the
	// Words of files, and takes pictures away. One goroutine of a turn calls it, again after a
	// crash; it returns when ctx ends.
	Perceive(ctx context.Context, t *Turn, items []session.Item, files [][]prompt.Fetched)
}

// Says is a message of the turn, for the step with which it leaves.
func Says(t *Turn, id, said string) channels.Outbound {
	o := t.Outbound(id, said, "")
	t.outgoing.note(id, o.Text)
	t.live.told.Leaves(o.ID, o.Text)
	return o
}

// read gives items as the model reads them: with their files fetched, and words in the place of
// what it can neither hear nor see.
func read(ctx context.Context, t *Turn, items []session.Item) []providers.Message {
	files := t.Deps.Prompts.Fetch(ctx, t.Info.Address, t.Space, items)
	if s := t.Deps.Prompts.Senses; s != nil && !isFree(t) {
		t.At(stageSense)
		s.Perceive(ctx, t, items, files)
	}
	for i := range items {
		if in := items[i].Inbound; in != nil {
			t.Provenance.AddSpoken(in, prompt.Spoken(files[i]))
		}
	}
	return t.UserMessages(items, files)
}
