package console

import (
	"fmt"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/console/ansi"
	"parley/pkg/events"
)

// turn is what goes on in the chat.
type turn struct {
	said *transcript
	// since is when the person began to wait; zero where they do not.
	since time.Time
	draft draft
	// calls are those that have not ended, or stand behind one of them.
	calls []call
	// dirty says that the answer has grown since it was drawn. It is read as Markdown again at
	// readAgain: a large one, which takes its time, more seldom.
	dirty     bool
	readAgain time.Time
}

// draft is an answer that grows.
type draft struct {
	text strings.Builder
	// stale says that the lines are behind the text.
	stale bool
	// above is how many of its blocks stand above the frame, live the lines of the others.
	above int
	live  []ansi.Line
}

// wait notes that the person waits from now on.
func (t *turn) wait() {
	if t.since.IsZero() {
		t.since = time.Now()
	}
}

// rest notes that nothing is under way.
func (t *turn) rest() { t.since = time.Time{} }

// spins says whether there is something to show that moves.
func (t *turn) spins() bool { return !t.since.IsZero() || len(t.calls) > 0 }

// event shows an event of a turn.
func (t *turn) event(d events.Data, own bool) { //nolint:revive // flag-parameter: a fact of the event
	switch d := d.(type) {
	case events.TurnBegun:
		t.begin(&d, own)
	case events.Joined:
		if !own {
			t.said.echo(d.Text, otherMark)
		}
	case events.Token:
		t.wait() // the beginning was perhaps missed
		t.draft.text.WriteString(d.Text)
		t.draft.stale, t.dirty = true, true
	case events.Restart:
		t.restart()
	case events.Call:
		t.flush()
		t.calls = append(t.calls, call{id: d.ID, about: d.Summary, began: time.Now()})
	case events.Executing:
		t.with(d.ID, d.Called, func(c *call) { c.began = time.Now() })
	case events.Progress:
		t.with(d.ID, "", func(c *call) { c.note = d.Text })
	case events.Result:
		t.with(d.ID, d.Called, func(c *call) { c.end(&d) })
		t.ended()
	case events.Notice:
		t.said.note(d.Text)
	case events.Done:
		t.over(&d)
	default: // a failure is followed by the message that tells it
	}
}

// begin shows the beginning of a turn. One that begins again has made void what it said.
func (t *turn) begin(d *events.TurnBegun, own bool) { //nolint:revive // flag-parameter: as in Watch
	t.draft, t.calls = draft{}, nil
	t.wait()
	if !own && d.Text != "" {
		t.said.echo(d.Text, otherMark)
	}
}

// restart drops the answer of a model that is asked again.
func (t *turn) restart() {
	if t.draft.above > 0 {
		t.said.note(textAgain)
	}
	t.draft = draft{}
}

// flush has all of the growing answer stand above the frame.
func (t *turn) flush() {
	if text := t.draft.text.String(); strings.TrimSpace(text) != "" {
		t.draft.finish(t.said, text)
	}
	t.draft = draft{}
}

// finish shows the rest of a message that the draft was the beginning of.
func (d *draft) finish(said *transcript, text string) {
	doc := ansi.Markdown(text, said.width)
	if d.above == 0 {
		said.gap()
	}
	said.put(doc.Lines[doc.Start(d.above):]...)
	said.gap()
	*d = draft{}
}

// restShare is which part of the time is left to the keys while an answer grows: so many times as
// long as it took to read it.
const restShare = 4

// settle has the blocks of the growing answer stand above the frame that do not change any more.
func (t *turn) settle() {
	d, now := &t.draft, time.Now()
	if !d.stale || now.Before(t.readAgain) {
		return
	}
	d.stale = false
	text := d.text.String()
	if strings.TrimSpace(text) == "" {
		d.live = nil
		return
	}
	doc := ansi.Markdown(text, t.said.width)
	took := time.Since(now)
	t.readAgain = now.Add(took + restShare*took)
	if n := len(doc.Ends) - 1; n > d.above {
		if d.above == 0 {
			t.said.gap()
		}
		t.said.put(doc.Lines[doc.Start(d.above):doc.Start(n)]...)
		d.above = n
	}
	d.live = doc.Lines[doc.Start(d.above):]
}

// message shows a message.
func (t *turn) message(part *channels.Part) {
	begun := strings.TrimSpace(t.draft.text.String())
	if begun != "" && strings.HasPrefix(part.Text, begun) {
		t.draft.finish(t.said, part.Text)
		return
	}
	if part.Unasked == "" {
		t.flush() // the answer ended otherwise
	}
	t.said.gap()
	if head := headOf(part.Unasked); head != "" {
		t.said.put(ansi.Text(head, ansi.Faint))
	}
	t.said.put(ansi.Markdown(part.Text, t.said.width).Lines...)
	t.said.gap()
}

// headOf says why a message came that nobody waited for.
func headOf(u channels.Unasked) string {
	switch u {
	case "":
		return ""
	case channels.ByJob:
		return textJob
	default:
		return textTask
	}
}

// over shows the end of a turn.
func (t *turn) over(d *events.Done) {
	t.draft = draft{} // no message came of it
	t.idle(d.Stop)
}

// idle notes that no turn is under way, and why: calls have no result any more.
func (t *turn) idle(why string) {
	for i := range t.calls {
		t.calls[i].stop(why)
	}
	t.ended()
	t.rest()
}

// resized has the lines of the growing answer made for another width.
func (t *turn) resized() {
	t.draft.stale, t.readAgain = true, time.Time{}
}

// with changes a call; one of an earlier process is new here.
func (t *turn) with(id, name string, change func(*call)) {
	for i := range t.calls {
		if t.calls[i].id == id && !t.calls[i].over {
			change(&t.calls[i])
			return
		}
	}
	if name != "" {
		t.calls = append(t.calls, call{id: id, about: name, began: time.Now()})
		change(&t.calls[len(t.calls)-1])
	}
}

// ended puts the calls above the frame that have ended.
func (t *turn) ended() {
	for len(t.calls) > 0 && t.calls[0].over {
		t.said.put(t.calls[0].line(t.said.width, 0))
		t.said.call = true
		t.calls = t.calls[1:]
	}
}

// goesOn says whether the frame goes on with the last line above it.
func (t *turn) goesOn() bool {
	if len(t.draft.live) > 0 {
		return t.draft.above > 0
	}
	return len(t.calls) > 0 && t.said.call
}

// maxCalls is how many calls are shown at a time.
const maxCalls = 8

// rows are the calls that are under way, the newest of them, and what the person waits for.
func (t *turn) rows(stopping bool) []ansi.Line { //nolint:revive // flag-parameter: Ctrl-C was pressed
	var all []ansi.Line
	calls := t.calls[max(0, len(t.calls)-maxCalls):]
	for i := range calls {
		all = append(all, calls[i].line(t.said.width, spinAt()))
	}
	if t.since.IsZero() {
		return all
	}
	does, stops := textThinking, textStops
	switch {
	case len(t.calls) > 0:
		does = textRunning
	case len(t.draft.live) > 0 || t.draft.above > 0:
		does = textWriting
	}
	if stopping {
		stops = textStopping
	}
	var l ansi.Line
	l.Put(picture(spinAt())+" ", ansi.Look{Role: ansi.Busy})
	waited := time.Since(t.since).Truncate(time.Second)
	l.Put(fmt.Sprintf("%s %s · %s", does, shortTime(waited), stops), ansi.Look{Role: ansi.Faint})
	return append(all, l.Clip(t.said.width))
}
