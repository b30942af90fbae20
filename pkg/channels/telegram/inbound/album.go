package inbound

import (
	"context"
	"time"

	"parley/pkg/backoff"
	"parley/pkg/channels/telegram/update"
)

// An album reaches a bot as several messages, each in an update of its own, and the
// updates do not tell their number. The poller waits albumWindow for them from the
// first on, without confirming it, and asks anew every albumStep; the messages that
// came by then are one message. One that comes later is a message of its own. Over a
// webhook the next is not sent before the last is confirmed: each part is handed on,
// and the store joins them ([channels.Inbound].Group).
const (
	albumWindow = 500 * time.Millisecond
	albumStep   = 100 * time.Millisecond
)

// openAlbum is the place of the first part of an album that may go on; without one it
// is behind the last event. An album ends where its chat goes on with something else.
func (p *poller) openAlbum(events []*update.Event) int {
	latest := map[string]update.Album{} // by chat: its last message
	for _, ev := range events {
		latest[ev.Address.Chat] = ev.Album()
	}
	now := time.Now()
	for i, ev := range events {
		key := ev.Album()
		if key == (update.Album{}) || latest[ev.Address.Chat] != key {
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

// hold stores events that need not wait for the album at the beginning of events, and
// waits a little for more of the album.
func (p *poller) hold(ctx context.Context, events []*update.Event) error {
	waiting := map[string]bool{}
	var free []*update.Event
	for _, ev := range events {
		if ev.Moved != nil {
			break
		}
		if ev.Album() != (update.Album{}) {
			waiting[ev.Address.Chat] = true
		}
		if !waiting[ev.Address.Chat] {
			free = append(free, ev)
		}
	}
	if err := p.storeAhead(ctx, free); err != nil {
		return err
	}
	if !backoff.Sleep(ctx, albumStep) {
		return ctx.Err()
	}
	return nil
}
