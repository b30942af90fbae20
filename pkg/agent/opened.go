package agent

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
)

const (
	// How long an answer grows before a message is opened that shows it: a quick
	// answer is one message that is never edited.
	openAfter = 700 * time.Millisecond
	// The least time between two edits.
	editEvery = time.Second
	// How much of an answer is shown before it is finished, in code points.
	maxShown = 4000
)

// endedText finishes a message that was opened for an answer which then did not come.
const endedText = "(this ended without an answer)"

// openings are the messages that a turn opened to show an answer while it grew.
// One at most is open: the turn's next message, whatever it is, finishes it, so
// that messages stand in the order in which they were finished.
type openings struct {
	mu    sync.Mutex
	count int
	open  string // the outbound id of the open one, "" for none
}

// openingsOf are what earlier attempts at a turn left, which began with that one open.
func openingsOf(steps []session.Step, open string) *openings {
	o := &openings{open: open}
	for i := range steps {
		for j := range steps[i].Outbox {
			switch out := &steps[i].Outbox[j]; {
			case out.Preview:
				o.count++
				o.open = out.ID
			case out.Finishes != "" && out.Finishes == o.open:
				o.open = ""
			}
		}
	}
	return o
}

// current is the id of the open message, "" for none.
func (o *openings) current() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open
}

// take is current for the message that finishes it.
func (o *openings) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	id := o.open
	o.open = ""
	return id
}

// openMessage opens a message that shows text. It is in the ledger before the
// turn sends anything else, so that whatever comes next finishes it; wanted is
// asked when no other message can come in between.
func (r *run) openMessage(ctx context.Context, text string, wanted func() bool) error {
	o := r.opened
	o.mu.Lock()
	defer o.mu.Unlock()
	if !wanted() {
		return nil
	}
	out := r.outbound(r.info.ID+"/preview/"+strconv.Itoa(o.count), text, "")
	out.Preview = true
	step := session.Step{Kind: session.StepShown, Outbox: []channels.Outbound{out}, Await: true}
	if err := r.steps.record(context.WithoutCancel(ctx), step); err != nil { // what is begun has an end
		return err
	}
	o.count++
	o.open = out.ID
	return nil
}

// closing is what finishes the open message of a turn that has nothing to say:
// the newest words of the turn that stand nowhere else.
func (r *run) closing(messages []providers.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		text := strings.TrimSpace(m.Content)
		if m.Role == providers.RoleAssistant && text != "" && text != noReply && !r.outgoing.has(text) {
			return text
		}
	}
	if r.ends != "" {
		return r.ends
	}
	return endedText
}

// takeOver lets the turn that reads the result of a task finish the message that
// showed how far it was, whatever it says, also NO_REPLY.
func (r *run) takeOver(ctx context.Context) error {
	it := &r.info.Items[0]
	if it.Kind != session.ItemTask {
		return nil
	}
	t, err := r.a.o.Engine.Tasks().Task(ctx, it.TaskID)
	if errors.Is(err, session.ErrNotFound) || err == nil && t.Status == "" {
		return nil
	}
	if err != nil {
		return err
	}
	r.opened = openingsOf(r.info.Steps, t.Status)
	r.ends = "The background task " + taskName(&t) + " has ended (" + string(t.State) + ")."
	return nil
}

// said tells whether what an answer begins with may turn out to be nothing new:
// it is not shown as long as it may. The text is given as it is and redacted.
func (r *run) said(text, redacted string) bool {
	text, redacted = strings.TrimSpace(text), strings.TrimSpace(redacted)
	if strings.HasPrefix(noReply, text) || r.in.blank != nil && r.in.blank(text) {
		return true
	}
	return r.outgoing.begins(text, redacted)
}

// canvas shows a growing answer in a message: it opens one through the outbox,
// and edits it from then on. It belongs to the goroutine of its preview.
type canvas struct {
	r      *run
	p      *preview
	editor channels.Editor
	// asked is the open message whose receipt was asked for.
	asked string
	// shown is what the message shows, next when it may be edited again.
	shown string
	next  time.Time

	mu sync.Mutex
	// known is the open message that has a receipt.
	known   string
	receipt channels.Receipt
}

// newCanvas is nil where the chat shows no answers that way.
func (r *run) newCanvas(p *preview, editor channels.Editor) *canvas {
	if editor == nil || !editor.Edits(r.info.Address) {
		return nil
	}
	return &canvas{r: r, p: p, editor: editor}
}

// draw shows what there is by now, as far as it is time; true when more is shown than before.
func (c *canvas) draw(s sketch) bool {
	s.text, s.beside = beginning(s.text), beginning(s.beside)
	open := c.r.opened.current()
	if open == "" {
		return c.begin(s)
	}
	c.ask(open)
	message, ok := c.messageOf(open)
	if !ok || s.text == "" && s.beside == "" {
		return false // a note stands below a text
	}
	text := c.p.compose(s)
	if text == "" || text == c.shown {
		return false
	}
	if wait := time.Until(c.next); wait > 0 {
		c.p.again.Reset(wait)
		return false
	}
	c.next = time.Now().Add(editEvery)
	if c.p.contained(func() error { return c.editor.Edit(c.p.ctx, c.p.address, message, text) }) != nil {
		c.p.again.Reset(editEvery)
		return false
	}
	c.shown = text
	return true
}

// beginning is as much of a text as a message shows before it is finished.
func beginning(text string) string {
	n := 0
	for i := range text {
		if n == maxShown {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// begin opens a message once the answer has grown for long enough.
func (c *canvas) begin(s sketch) bool {
	if s.text == "" {
		return false
	}
	if wait := time.Until(s.began.Add(openAfter)); wait > 0 {
		c.p.again.Reset(wait)
		return false
	}
	wanted := func() bool { return c.p.ctx.Err() == nil && c.p.current(s.round) }
	if c.r.openMessage(c.p.ctx, s.text, wanted) != nil {
		return false // the turn's next write meets the error too
	}
	open := c.r.opened.current()
	if open == "" {
		return false
	}
	c.shown = s.text
	c.ask(open)
	return true
}

// ask waits beside the preview for the receipt of the open message, once.
func (c *canvas) ask(open string) {
	if c.asked == open {
		return
	}
	c.asked = open
	c.p.waits.Go(func() {
		receipt, err := c.r.a.o.Engine.Outbox().Receipt(c.p.ctx, open)
		if err != nil {
			return // without a message there is nothing to edit, and the answer will be a new one
		}
		c.mu.Lock()
		c.known, c.receipt = open, receipt
		c.mu.Unlock()
		c.p.poke()
	})
}

// messageOf is the platform's id of the open message, if it has one by now.
func (c *canvas) messageOf(open string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != open {
		return "", false
	}
	if next := c.receipt.Time.Add(editEvery); next.After(c.next) {
		c.next = next
	}
	return c.receipt.MessageID, true
}
