package events

import (
	"container/list"
	"sort"
	"time"

	"parley/pkg/channels"
)

// chat is the list of one chat. The hub's lock guards it.
type chat struct {
	at     channels.Address
	events journal
	// floor is the number of the newest event that the list does not have any more.
	floor uint64
	// turn is the running turn, or "", and began the number of its first event.
	turn  string
	began uint64
	// ends is the Done that waits until the message with the id awaits is delivered. early
	// are ids of messages that were delivered while the turn ran.
	ends   *Done
	awaits string
	early  []string
	// held are the events behind that Done, with their size.
	held     []held
	heldSize int
	// readers follow it; changed is closed at the next event, and nil while no reader waits.
	readers int
	changed chan struct{}
	// place is that among the idle chats, since when since.
	place *list.Element
	since time.Time
}

// minKept is how many of the newest events a list keeps, whatever their size: a message with the
// end of its turn behind it, which a reader of the chat needs until the store has the message.
const minKept = 4

// trim drops the oldest events beyond a size, and tells how much that was.
func (c *chat) trim(limit int) int {
	before := c.events.size
	for c.events.size > limit && c.events.len() > minKept {
		c.floor = c.events.shift()
	}
	return before - c.events.size
}

// entry is an event with its number.
type entry struct {
	seq  uint64
	data Data
}

// journal is the events of a chat in their order.
type journal struct {
	entries []entry
	head    int // the entries before it are dropped
	size    int
}

// push appends an event, and tells its size.
func (j *journal) push(e entry) int {
	n := e.data.size() + overhead
	j.entries = append(j.entries, e)
	j.size += n
	return n
}

// shift drops the oldest event, and tells its number.
func (j *journal) shift() uint64 {
	e := j.entries[j.head]
	j.entries[j.head] = entry{}
	j.head++
	j.size -= e.data.size() + overhead
	if j.head > len(j.entries)/2 {
		j.entries = append([]entry(nil), j.entries[j.head:]...)
		j.head = 0
	}
	return e.seq
}

func (j *journal) len() int { return len(j.entries) - j.head }

// newest is the number of the newest event, or 0.
func (j *journal) newest() uint64 {
	if j.len() == 0 {
		return 0
	}
	return j.entries[len(j.entries)-1].seq
}

// after are up to limit events behind a number.
func (j *journal) after(seq uint64, limit int) []entry {
	live := j.entries[j.head:]
	i := sort.Search(len(live), func(i int) bool { return live[i].seq > seq })
	return live[i:min(len(live), i+limit)]
}
