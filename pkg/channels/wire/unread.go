package wire

import (
	"encoding/json"
	"sync"

	"github.com/rs/zerolog"
)

// maxLoggedKinds is how many kinds of unusable events are logged.
const maxLoggedKinds = 100

// Unread hands on events that an adapter cannot use: the platform may have invented
// their kind since. It is safe for many goroutines.
type Unread struct {
	// To keeps an event; nil drops it.
	To  func(kind string, raw json.RawMessage)
	Log zerolog.Logger
	// Noun is the platform's word for an event, with its article.
	Noun string

	mu     sync.Mutex
	logged map[string]bool
}

// Keep hands on an event that gives no item although it says something, and logs its
// kind the first time. An event without a kind is not kept.
func (u *Unread) Keep(kind string, raw json.RawMessage) {
	if kind == "" {
		return
	}
	if u.first(kind) {
		u.Log.Info().Str("kind", kind).Msg(u.Noun + " of no use came: it is kept, and no other of its kind is logged")
	}
	if u.To != nil {
		u.To(kind, raw)
	}
}

// first tells whether a kind is new. After maxLoggedKinds no kind is new.
func (u *Unread) first(kind string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.logged[kind] || len(u.logged) == maxLoggedKinds {
		return false
	}
	if u.logged == nil {
		u.logged = map[string]bool{}
	}
	u.logged[kind] = true
	return true
}
