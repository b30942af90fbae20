package socket

import "sync"

// places are those of the open connections. The members of the group leave a quarter of them to
// the gateway's own user and to root, and one member leaves half of all to the others.
type places struct {
	most int

	mu           sync.Mutex
	all, members int
	of           map[int]int // of the members, by their user ids
}

func newPlaces(most int) *places { return &places{most: most, of: map[int]int{}} }

// take takes a place for a user, if there is one.
func (p *places) take(uid int) bool {
	const quarter, half = 4, 2
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= p.most {
		return false
	}
	if !own(uid) {
		if p.members >= p.most-p.most/quarter || p.of[uid] >= p.most/half {
			return false
		}
		p.members++
		p.of[uid]++
	}
	p.all++
	return true
}

// leave gives a place back.
func (p *places) leave(uid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if own(uid) {
		return
	}
	p.members--
	if p.of[uid]--; p.of[uid] == 0 {
		delete(p.of, uid)
	}
}
