package update

import "parley/pkg/channels"

// maxAlbum is how many parts an album has at most.
const maxAlbum = 10

// Album names an album: its chat and its id. The zero value is no album.
type Album struct{ Chat, Group string }

// Album is the album that the event is a part of.
func (e *Event) Album() Album {
	if e.Group == "" || e.Item == nil || e.Item.Kind != channels.KindMessage {
		return Album{}
	}
	return Album{Chat: e.Address.Chat, Group: e.Group}
}

// Merge makes one event of the parts of each album, in the place of the first.
func Merge(events []*Event) []*Event {
	first := map[Album]*Event{}
	merged := make([]*Event, 0, len(events))
	for _, ev := range events {
		key := ev.Album()
		into := first[key]
		if key == (Album{}) || into == nil || len(into.parts) == maxAlbum-1 {
			first[key] = ev
			merged = append(merged, ev)
			continue
		}
		into.parts = append(into.parts, ev.ID)
		into.join(ev)
	}
	return merged
}

// join adds a part of the same album.
func (e *Event) join(part *Event) {
	e.files = append(e.files, part.files...)
	e.Item.Text = channels.Lines(e.Item.Text, part.Item.Text)
	e.Item.Mentioned = e.Item.Mentioned || part.Item.Mentioned
	e.Item.Forwarded = e.Item.Forwarded || part.Item.Forwarded
	if e.Item.Quote == "" {
		e.Item.Quote = part.Item.Quote
	}
}
