package reading

import (
	"context"
	"time"

	"parley/pkg/channels"
)

// maxQueued bounds the messages of a chat that wait.
const maxQueued = 100

// Queued is a message of a person whose turn is not over.
type Queued struct {
	Message string    `json:"message"`
	Text    string    `json:"text"`
	Time    time.Time `json:"time"`
	// Files came with the message.
	Files []channels.KeptFile `json:"files,omitempty"`
}

// Queued are the messages of a chat that wait for their turns, with that of the running one.
func (r *Reader) Queued(ctx context.Context, at channels.Address) ([]Queued, error) {
	items, err := r.o.Activity.Queued(ctx, at, maxQueued)
	var all []Queued
	for i := range items {
		in := items[i].Inbound
		if in == nil || in.Kind != channels.KindMessage || r.o.IsStop(in.Text) {
			continue
		}
		all = append(all, Queued{
			Message: items[i].ID, Text: r.o.Redact(in.Text), Time: items[i].Time, Files: r.found(at, in.Kept()),
		})
	}
	return all, err
}
