package engine_test

import (
	"errors"
	"testing"
	"time"

	"parley/pkg/session"
	"parley/pkg/session/local"
)

// TestLatestOfWhatIsDamaged: where the time of a chat's last event is unknown, it is
// now, so that new items are stored and the chat is made anew.
func TestLatestOfWhatIsDamaged(t *testing.T) {
	t.Parallel()
	for _, bucket := range []string{"addr", "chats", "inbox", "seen"} {
		t.Run(bucket, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			it := message("a", "1", "waits")
			closing(t, dir, func(e *local.Engine) { put(t, e, it) })
			spoil(t, dir, bucket, 0)
			before := time.Now()
			closing(t, dir, func(e *local.Engine) {
				at := it.Address
				if got, err := e.Sessions().Latest(t.Context(), at); err != nil || got.Before(before) {
					t.Errorf("Latest = %v, %v", got, err)
				}
				at.Thread = "t"
				if _, err := e.Sessions().Latest(t.Context(), at); !errors.Is(err, session.ErrNotFound) {
					t.Errorf("of another conversation: %v", err)
				}
			})
		})
	}
}
