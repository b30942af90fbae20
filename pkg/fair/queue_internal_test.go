package fair

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// first is the owner that comes first, by a look at all of them.
func (p *Places) first() *owner {
	var first *owner
	for _, o := range p.owners {
		if len(o.waiting) > 0 && (first == nil || o.held < first.held || o.held == first.held && o.last < first.last) {
			first = o
		}
	}
	return first
}

// TestQueueKnowsTheFirst: whatever comes, leaves and gives its place back, the queue has
// the same owner on top as a look at all of them finds, and that one may have no place.
func TestQueueKnowsTheFirst(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	p := New(8)
	type call struct {
		name string
		*waiter
	}
	var waits, holds []call
	pick := func(from *[]call) call {
		i := random.IntN(len(*from))
		c := (*from)[i]
		*from = append((*from)[:i], (*from)[i+1:]...)
		return c
	}
	for range 20_000 {
		switch what := random.IntN(10); {
		case what < 4 && len(waits) < 100:
			name := strconv.Itoa(random.IntN(30))
			w, err := p.ask(name)
			if err != nil {
				t.Fatal(err)
			}
			waits = append(waits, call{name, w})
		case what < 5 && len(waits) > 0:
			c := pick(&waits)
			p.leave(c.name, c.waiter)
		case len(holds) > 0:
			p.release(pick(&holds).name)
		}
		still := waits[:0]
		for _, c := range waits {
			select {
			case <-c.granted:
				holds = append(holds, c)
			default:
				still = append(still, c)
			}
		}
		waits = still
		var top *owner
		if len(p.queue) > 0 {
			top = p.queue[0]
		}
		if first := p.first(); top != first {
			t.Fatalf("the queue has %+v on top, the first is %+v", top, first)
		}
		if top != nil && top.held < p.free {
			t.Fatalf("%d places are free, and an owner waits that holds %d", p.free, top.held)
		}
	}
}
