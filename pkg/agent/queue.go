package agent

import (
	"context"
	"strings"
	"sync"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// queued is a message that a call wants sent: a text, or a file with a caption.
type queued struct {
	text string
	file *channels.File
}

// maxMessagesPerCall bounds what one call may send.
const maxMessagesPerCall = 10

// Calls is what the tools may do with the turn that their call belongs to. A call finds
// its turn by its context; outside of a running turn each method returns an error.
type Calls struct{ a *Agent }

// Calls serves the tools.
func (a *Agent) Calls() Calls { return Calls{a} }

// QueueMessage takes a message that a tool sends to its own chat. It leaves
// when the call has ended, in one transaction with the call's result.
func (c Calls) QueueMessage(ctx context.Context, channel, chatID, text string) error {
	r, key, err := c.callOf(ctx)
	if err != nil {
		return err
	}
	if r.in.mute != nil {
		return r.in.mute
	}
	if channel != r.info.Address.Channel || chatID != r.info.Address.Chat {
		return tools.Fail(tools.ErrPermissionDenied, "a message can be sent to its own chat only", nil)
	}
	if !r.outgoing.add(key, text) {
		return tools.Fail(tools.ErrExecutionFailed, "too many messages from one call", nil)
	}
	return nil
}

// QueueFile takes the one file that a call sends to its own chat, with Markdown
// as its caption. It calls keep with the id that the message will have, to put the
// content where it stays until the message has left; what was kept of a file that
// is not taken is nobody's, and found at the next start. The message leaves when
// the call has ended, in one transaction with the call's result.
func (c Calls) QueueFile(ctx context.Context, caption string, keep func(outboundID string) (channels.File, error)) error {
	r, key, err := c.callOf(ctx)
	if err != nil {
		return err
	}
	if r.in.mute != nil {
		return r.in.mute
	}
	file, err := keep(r.fileID(key))
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // the call has its result already
	}
	r.outgoing.addFile(key, caption, &file)
	return nil
}

// callOf finds the turn that a call belongs to, and the call's key within it.
func (c Calls) callOf(ctx context.Context) (*run, string, error) {
	inv := tools.InvocationFrom(ctx)
	c.a.mu.Lock()
	r := c.a.runs[inv.Turn]
	c.a.mu.Unlock()
	if r == nil {
		return nil, "", tools.Fail(tools.ErrExecutionFailed, "this can be done only while a turn of its chat runs", nil)
	}
	return r, inv.Key[len(inv.Turn)+1:], nil
}

// fileID is the id of the message with the file of a call.
func (r *run) fileID(key string) string { return session.CallFileID(r.info.ID, key) }

// outgoing is what leaves in a turn before its last message.
type outgoing struct {
	mu      sync.Mutex
	pending map[string][]queued // what calls want sent, by call key
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
