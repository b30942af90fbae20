package progress

import (
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/text"
)

const (
	// How long an answer grows before a message is opened that shows it: a quick answer
	// is one message without edits.
	openAfter = 700 * time.Millisecond
	// The least time between two edits.
	editEvery = time.Second
	// How much of an answer is shown before it is finished, in code points.
	maxShown = 4000
)

// messageEditor shows a growing answer in a message: it opens one through the outbox,
// and edits it from then on. It belongs to the goroutine of its preview.
type messageEditor struct {
	p      *Preview
	editor channels.Editor
	// asked is the open message of the last request for a receipt.
	asked string
	// shown is the text of the message, next when it may be edited again.
	shown string
	next  time.Time

	mu sync.Mutex
	// known is the open message that has a receipt.
	known   string
	receipt channels.Receipt
}

// draw shows the present text, if it is time; true when more is shown than before.
func (e *messageEditor) draw(f frame) bool {
	f.text, f.beside = text.Clip(f.text, maxShown), text.Clip(f.beside, maxShown)
	open := e.p.turn.Live.Current()
	if open == "" {
		return e.begin(f)
	}
	e.ask(open)
	message, ok := e.messageOf(open)
	if !ok || f.text == "" && f.beside == "" {
		return false // a note stands below a text
	}
	shown := e.p.compose(f)
	if shown == "" || shown == e.shown {
		return false
	}
	if wait := time.Until(e.next); wait > 0 {
		e.p.again.Reset(wait)
		return false
	}
	e.next = time.Now().Add(editEvery)
	if e.p.guard.run(func() error { return e.editor.Edit(e.p.ctx, e.p.turn.Address, message, shown) }) != nil {
		e.p.again.Reset(editEvery)
		return false
	}
	e.shown = shown
	return true
}

// begin opens a message once the answer has grown for long enough.
func (e *messageEditor) begin(f frame) bool {
	if f.text == "" {
		return false
	}
	if wait := time.Until(f.began.Add(openAfter)); wait > 0 {
		e.p.again.Reset(wait)
		return false
	}
	wanted := func() bool { return e.p.ctx.Err() == nil && e.p.answer.isAt(f.round) }
	if e.p.turn.Live.begin(e.p.ctx, f.text, wanted, e.p.turn.Open) != nil {
		return false // the turn's next write meets the error too
	}
	open := e.p.turn.Live.Current()
	if open == "" {
		return false
	}
	e.shown = f.text
	e.ask(open)
	return true
}

// ask waits beside the preview for the receipt of the open message, once.
func (e *messageEditor) ask(open string) {
	if e.asked == open {
		return
	}
	e.asked = open
	e.p.waits.Go(func() {
		receipt, err := e.p.turn.Receipt(e.p.ctx, open)
		if err != nil {
			return // without a message an edit is impossible, and the answer will be a new one
		}
		e.mu.Lock()
		e.known, e.receipt = open, receipt
		e.mu.Unlock()
		e.p.poke()
	})
}

// messageOf is the platform's id of the open message, if it has one by now.
func (e *messageEditor) messageOf(open string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known != open {
		return "", false
	}
	if next := e.receipt.Time.Add(editEvery); next.After(e.next) {
		e.next = next
	}
	return e.receipt.MessageID, true
}
