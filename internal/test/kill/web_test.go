package kill_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/internal/tools/promises"
	"parley/pkg/channels/web"
)

func TestKillOnWebAtEachPoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	all := slices.DeleteFunc(points(), func(p point) bool { return p.name == "P12" }) // a message of the web is one part
	eachSeed(t, all, func(t *testing.T, p point, seed int) {
		t.Helper()
		w := newWebWorld(t)
		killOnce(w, web.Name, p, newRand("web"+p.name, seed))
		w.rereads()
	})
}

// TestKillRoundAnApprovalOnWeb presses by a program that may approve.
func TestKillRoundAnApprovalOnWeb(t *testing.T) {
	t.Parallel()
	killRoundAnApprovalOn(t, webStage())
}

// TestKillBackgroundWorkOnWeb has one kind of work at each point.
func TestKillBackgroundWorkOnWeb(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip(promises.Later)
	}
	seen := map[string]bool{}
	all := slices.DeleteFunc(backgroundPoints(), func(p point) bool {
		second := seen[p.name] || p.must == background && strings.ContainsAny(p.name, "24")
		seen[p.name] = seen[p.name] || !second
		return second && seeds == 1
	})
	eachPoint(t, all, func(t *testing.T, p point, seed int) {
		t.Helper()
		killBackgroundWork(t, webStage(), p, seed)
	})
}

// webStage is the web as a stage.
func webStage() stage {
	return stage{channel: web.Name, sorts: 1, open: func(t *testing.T, _ int) *world {
		t.Helper()
		return newWebWorld(t)
	}}
}

// rereads reads each chat from the store once all is quiet: it has the messages that
// its program has seen, and no other.
func (w *world) rereads() {
	w.t.Helper()
	p, ok := w.platform.(*onWeb)
	if !ok {
		w.t.Fatal("this is no world on the web")
	}
	last := w.start("")
	w.polled()
	for i := range maxChats {
		chat := chatName(i)
		var stored map[string]bool
		p.insist(w.ctx, func() (done bool) {
			stored, _, done = p.read(w.ctx, chat)
			return done
		})
		p.mu.Lock()
		for _, key := range slices.Sorted(maps.Keys(p.ids)) {
			at, id, _ := strings.Cut(key, " ")
			if at == chat && !stored[id] {
				w.t.Errorf("%s: the store lacks the message %s", chat, id)
			}
		}
		p.mu.Unlock()
	}
	w.terminate(last)
	if n := len(w.read(p.messages()).examples); n > 0 {
		w.t.Errorf("%d messages read otherwise from the store", n)
	}
}
