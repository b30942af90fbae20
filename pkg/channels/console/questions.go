package console

import (
	"context"
	"slices"
	"strings"

	"parley/pkg/channels"
)

// question is a message with buttons on the screen.
type question struct {
	// id is that of the outbound, message that of the receipt.
	id, message string
	buttons     []channels.Button
	// closed means that it was not shown after all.
	closed bool
}

// The keys of buttons: the first says yes and the last says no, as on Telegram.
const (
	firstKey    = "y"
	lastKey     = "n"
	betweenKeys = "abcdef"
	// The words for the first and the last key.
	firstWord = "yes"
	lastWord  = "no"
)

// key is the typed key of button i.
func (q *question) key(i int) string {
	switch {
	case i == 0:
		return firstKey
	case i == len(q.buttons)-1:
		return lastKey
	case i <= len(betweenKeys):
		return betweenKeys[i-1 : i]
	default:
		return ""
	}
}

// line shows the buttons.
func (q *question) line() string {
	shown := make([]string, len(q.buttons))
	for i, b := range q.buttons {
		shown[i] = "[" + q.key(i) + "] " + oneLine(b.Label)
	}
	return strings.Join(shown, "  ") + "\n"
}

// pressed is the data of the button that line presses, if it is exactly its key, the
// word for it or its label, in any case.
func (q *question) pressed(line string) (data string, ok bool) {
	key := keyOf(line)
	for i, b := range q.buttons {
		if key != "" && key == q.key(i) {
			return b.Data, true
		}
	}
	line = strings.TrimSpace(line)
	for _, b := range q.buttons {
		if strings.EqualFold(line, b.Label) {
			return b.Data, true
		}
	}
	return "", false
}

// keyOf is the key of a button that line types, whatever question is open, or "".
func keyOf(line string) string {
	const keys = firstKey + lastKey + betweenKeys
	switch line = strings.ToLower(strings.TrimSpace(line)); {
	case line == firstWord:
		return firstKey
	case line == lastWord:
		return lastKey
	case len(line) == 1 && strings.Contains(keys, line):
		return line
	default:
		return ""
	}
}

// Buttons implements [channels.Buttoner]: after the end of input a press is
// impossible.
func (c *Channel) Buttons(to channels.Address) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return to == c.Address() && !c.ended
}

// open makes q the newest question; one with the same id is on the screen already, which open
// says.
func (c *Channel) open(q *question) (shown bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q.closed {
		return false
	}
	same := slices.IndexFunc(c.questions, func(o *question) bool { return o.id == q.id })
	if same >= 0 {
		c.questions[same] = q
		return true
	}
	c.questions = append(c.questions, q)
	return false
}

// drop closes a question that was not surely shown: no line may answer it.
func (c *Channel) drop(q *question) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.closed = true
	c.questions = slices.DeleteFunc(c.questions, func(o *question) bool { return o == q })
}

// finished closes the question that a message takes over.
func (c *Channel) finished(part *channels.Part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions = slices.DeleteFunc(c.questions, func(o *question) bool { return o.message == part.Edits || o.id == part.Finishes })
}

// answers returns the question that a line answers, the newest open one, and the
// answer; nil for a message.
func (c *Channel) answers(line string) (q *question, data string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.questions) == 0 {
		return nil, ""
	}
	q = c.questions[len(c.questions)-1]
	if data, ok := q.pressed(line); ok {
		return q, data
	}
	return nil, ""
}

// hold lets a piped key wait for the question that it may be meant for, which may not
// be asked yet.
func (r *reader) hold(ctx context.Context, line string) error {
	if r.channel.opt.Interactive || r.channel.opt.Settled == nil || keyOf(line) == "" {
		return nil
	}
	if q, _ := r.channel.answers(line); q != nil {
		return nil
	}
	return r.channel.opt.Settled(ctx)
}

// press delivers a press. The question is answered then; where the press was not
// stored it stays open.
func (r *reader) press(ctx context.Context, q *question, data string) error {
	in := r.channel.inbound(data)
	in.Kind, in.MessageID = channels.KindButton, q.message
	err := r.accept(ctx, in)
	if err == nil {
		r.channel.drop(q)
	}
	return err
}
