package attach

import (
	"context"

	"parley/pkg/events"
)

// Watcher is a [View] that shows turns by their events, in place of drafts and of notes about calls.
type Watcher interface {
	View
	// Watch is told of each event of the chat in its order but those of messages, which are sent.
	// Own says that no other console wrote the words that begin a turn or join it.
	Watch(ctx context.Context, d events.Data, own bool) error
}

// watched hands an event on to a watcher; another view does not show it.
func watched[T events.Data](s *Session) func(context.Context, []byte) error {
	return with(func(ctx context.Context, d *T) error {
		if s.watcher == nil {
			return nil
		}
		return s.watcher.Watch(ctx, *d, true)
	})
}
