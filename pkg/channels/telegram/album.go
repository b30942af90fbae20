package telegram

import (
	"context"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// An album reaches a bot as several messages, each in an update of its own, and
// nothing says how many. The poller waits albumWindow for them from the first on,
// without confirming it, and asks anew every albumStep; then what came is one
// message. One that comes later is a message of its own. Over a webhook the next is
// not sent before the last is confirmed: each part is handed on, and the store joins
// them ([channels.Inbound].Group).
const (
	albumWindow = 500 * time.Millisecond
	albumStep   = 100 * time.Millisecond
	maxAlbum    = 10
)

type albumKey struct{ chat, group string }

// album is the zero key for what is no part of one.
func (e *event) album() albumKey {
	if e.group == "" || e.item == nil || e.item.Kind != channels.KindMessage {
		return albumKey{}
	}
	return albumKey{chat: e.address.Chat, group: e.group}
}

// openAlbum is the place of the first part of an album that may go on; there may
// be none, then it is behind the last. An album ends where its chat goes on with
// something else.
func (p *poller) openAlbum(events []*event) int {
	latest := map[string]albumKey{} // by chat: what it said last
	for _, ev := range events {
		latest[ev.address.Chat] = ev.album()
	}
	now := time.Now()
	for i, ev := range events {
		key := ev.album()
		if key == (albumKey{}) || latest[ev.address.Chat] != key {
			continue
		}
		until, seen := p.albums[key]
		if !seen {
			until = now.Add(albumWindow)
			p.albums[key] = until
		}
		if now.Before(until) {
			return i
		}
	}
	return len(events)
}

// hold stores what need not wait for the album that events begin with, and waits
// a little for more of it.
func (p *poller) hold(ctx context.Context, events []*event) error {
	waiting := map[string]bool{}
	var free []*event
	for _, ev := range events {
		if ev.moved != nil {
			break
		}
		if ev.album() != (albumKey{}) {
			waiting[ev.address.Chat] = true
		}
		if !waiting[ev.address.Chat] {
			free = append(free, ev)
		}
	}
	if err := p.storeAhead(ctx, free); err != nil {
		return err
	}
	if !wire.Sleep(ctx, albumStep) {
		return ctx.Err()
	}
	return nil
}

// mergeAlbums makes one event of the parts of each album, in the place of the first.
func mergeAlbums(events []*event) []*event {
	first := map[albumKey]*event{}
	merged := make([]*event, 0, len(events))
	for _, ev := range events {
		key := ev.album()
		into := first[key]
		if key == (albumKey{}) || into == nil || len(into.parts) == maxAlbum-1 {
			first[key] = ev
			merged = append(merged, ev)
			continue
		}
		into.parts = append(into.parts, ev.id)
		into.join(ev)
	}
	return merged
}

// join adds a part of the same album.
func (e *event) join(part *event) {
	e.files = append(e.files, part.files...)
	e.item.Text = channels.Lines(e.item.Text, part.item.Text)
	e.item.Mentioned = e.item.Mentioned || part.item.Mentioned
	e.item.Forwarded = e.item.Forwarded || part.item.Forwarded
	if e.item.Quote == "" {
		e.item.Quote = part.item.Quote
	}
}
