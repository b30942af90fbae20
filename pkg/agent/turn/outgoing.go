package turn

import (
	"strings"
	"sync"

	"parley/pkg/channels"
)

// queued is a message that a call wants sent: a text, or a file with a caption.
type queued struct {
	text string
	file *channels.File
}

// maxMessagesPerCall bounds the messages of one call.
const maxMessagesPerCall = 10

// outgoing has the messages that leave in a turn before its last one.
type outgoing struct {
	mu      sync.Mutex
	pending map[string][]queued // messages that calls want sent, by call key
	sent    map[string]bool     // texts that left in this turn
	seq     map[string]int      // outgoing messages per call key
}

func newOutgoing() *outgoing {
	return &outgoing{pending: map[string][]queued{}, sent: map[string]bool{}, seq: map[string]int{}}
}

// add takes a text of a call; false when the call has sent too many.
func (o *outgoing) add(key, text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pending[key]) >= maxMessagesPerCall {
		return false
	}
	o.pending[key] = append(o.pending[key], queued{text: text})
	return true
}

// addFile takes the file of a call.
func (o *outgoing) addFile(key, caption string, file *channels.File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending[key] = append(o.pending[key], queued{text: caption, file: file})
}

// take gives the messages of a call, once.
func (o *outgoing) take(key string) []queued {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.pending[key]
	delete(o.pending, key)
	return all
}

// note remembers a text that leaves in this turn and returns the number of the message
// among those of its call.
func (o *outgoing) note(key, text string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent[strings.TrimSpace(text)] = true
	n := o.seq[key]
	o.seq[key]++
	return n
}

// has reports whether a text has left in this turn.
func (o *outgoing) has(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent[text]
}

// any reports whether anything has.
func (o *outgoing) any() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sent) > 0
}

// begins reports whether a text that has left begins with one of these.
func (o *outgoing) begins(with ...string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for text := range o.sent {
		for _, w := range with {
			if strings.HasPrefix(text, w) {
				return true
			}
		}
	}
	return false
}
