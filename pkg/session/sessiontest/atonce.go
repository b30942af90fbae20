package sessiontest

import (
	"slices"
	"strings"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/session"
)

// testAtOnce: texts that need no way out are delivered when they are stored, each once, behind what waits
// in their chat, and are kept with their chat as it is then.
func testAtOnce(b *bench) {
	var mu sync.Mutex
	var all []string
	shown := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
	over := b.e.Outbox().AtOnce("test", "bot", func(o *channels.Outbound) (show func(), ok bool) {
		id := o.ID
		return func() {
			if _, err := b.e.Outbox().Receipt(b.Context(), id); err != nil {
				b.Errorf("%s is shown before it is stored: %v", id, err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, id)
		}, !strings.HasPrefix(id, "queued")
	})
	say := func(id string, c session.Commit, ids ...string) session.TurnInfo {
		for _, id := range ids {
			c.Outbox = append(c.Outbox, outbound("a", id))
		}
		return b.say("a", id, c)
	}
	say("0", session.Commit{}, "early")
	b.equal(1, b.status().Sending) // nobody empties the outbox
	d := b.deliveries()
	h := d.next()
	b.equal("early", h.what.Info().Outbound.ID)
	b.settle(h, "m0")

	say("1", session.Commit{}, "queued1", "behind")
	h = d.next()
	b.equal("queued1", h.what.Info().Outbound.ID)
	b.equal(2, b.status().Sending)
	b.settle(h, "m1")
	h = d.next()
	b.equal("behind", h.what.Info().Outbound.ID)
	b.settle(h, "m2")
	b.equal(0, len(shown()))

	old := say("2", session.Commit{Messages: user("2", "3")}, "now", "then")
	b.equal([]string{"now", "then"}, shown())
	b.equal(0, b.status().Sending)
	r, err := b.e.Outbox().Receipt(b.Context(), "now")
	b.must(err)
	b.equal("now", r.MessageID)
	say("3", session.Commit{}, "now")
	b.equal([]string{"now", "then"}, shown())

	say("4", session.Commit{NewSession: true}, "new")
	fresh := say("5", session.Commit{Messages: user("5")}, "newest")
	over()
	say("6", session.Commit{}, "late")
	h = d.next()
	b.equal("late", h.what.Info().Outbound.ID)
	b.settle(h, "m3")
	b.equal([]string{"now", "then", "new", "newest"}, shown())
	b.must(d.stop())

	b.reopen()
	kept := func(id string) (all []string) {
		b.must(b.reading().Shown(b.Context(), id, 0, func(s session.Shown) bool {
			all = append(all, s.ID)
			b.equal("text of "+s.ID, s.Text)
			b.equal(map[string]uint64{"now": 2, "then": 2, "new": 0, "newest": 1}[s.ID], s.After)
			return true
		}))
		return all
	}
	b.equal([]string{"then", "now"}, kept(old.Session))
	b.equal([]string{"newest", "new"}, kept(fresh.Session))
}
