package inbound

import (
	"encoding/json"
	"sync"

	"github.com/rs/zerolog"

	"parley/pkg/channels/telegram/update"
)

// maxLoggedKinds is how many kinds of unusable updates are logged.
const maxLoggedKinds = 100

// unread hands on updates that the adapter cannot use: Telegram may have invented their
// kind since.
type unread struct {
	to  func(kind string, raw json.RawMessage)
	log zerolog.Logger

	mu     sync.Mutex
	logged map[string]bool
}

// keep hands on an update that gives no item although it says something, and logs its
// kind the first time.
func (u *unread) keep(ev *update.Event) {
	if ev.Unread == "" {
		return
	}
	if u.first(ev.Unread) {
		u.log.Info().Str("kind", ev.Unread).Msg("an update of no use came: it is kept, and no other of its kind is logged")
	}
	if u.to != nil {
		u.to(ev.Unread, ev.Raw)
	}
}

// first tells whether a kind is new. After maxLoggedKinds none is.
func (u *unread) first(kind string) bool {
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
