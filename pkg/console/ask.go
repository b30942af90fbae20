package console

import (
	"fmt"
	"slices"
	"time"

	"parley/pkg/console/ansi"
	"parley/pkg/events"
)

// armTime is how long a question stands on screen before a key answers it: a letter that was under
// way is for the line.
const armTime = 700 * time.Millisecond

// asks are the questions that are open, the oldest first. The keys answer the first one.
type asks struct {
	said *transcript
	open []ask
	// aside says that the person wants to write first, faint that the keys were drawn as ones that
	// do not work yet.
	aside, faint bool
}

// ask is one question.
type ask struct {
	events.Question

	since time.Time
	// answered is the answer that is on its way, "" for none.
	answered string
}

// answer is a key that answers a question.
type answer struct{ key, choice, label string }

func answers() []answer {
	return []answer{
		{"y", "allow_once", textAllowOnce},
		{"a", "allow_here", textAllowHere},
		{"n", "deny", textDeny},
	}
}

// add shows a question.
func (a *asks) add(q *events.Question) {
	if slices.ContainsFunc(a.open, func(o ask) bool { return o.ID == q.ID }) {
		return
	}
	a.open = append(a.open, ask{Question: *q, since: time.Now()})
	a.said.gap()
	a.said.put(ansi.Question(q.Question, a.said.width).Lines...)
	a.said.gap()
}

// close takes a question away that has its answer; id is its own, or that of the message that asked.
func (a *asks) close(id string) {
	first := ""
	if q := a.first(); q != nil {
		first = q.ID
	}
	a.open = slices.DeleteFunc(a.open, func(q ask) bool { return q.ID == id || q.Message == id })
	if now := a.first(); now != nil && now.ID != first {
		now.since = time.Now() // the next one has its moment too
	}
	if len(a.open) == 0 {
		a.aside = false
	}
}

// first is the question that the keys answer, or nil.
func (a *asks) first() *ask {
	if len(a.open) == 0 {
		return nil
	}
	return &a.open[0]
}

// arming says whether the keys will answer a question in a moment.
func (a *asks) arming() bool {
	q := a.first()
	return q != nil && !a.aside && q.answered == "" && time.Since(q.since) < armTime
}

// takes says whether a key answers a question now, and what.
func (a *asks) takes(key string) (choice string, ok bool) {
	q := a.first()
	if q == nil || a.aside || q.answered != "" || a.arming() {
		return "", false
	}
	for _, one := range answers() {
		if one.key == key && slices.Contains(q.Choices, one.choice) {
			return one.choice, true
		}
	}
	return "", false
}

// again opens a question whose answer was not taken.
func (a *asks) again(id string) {
	for i := range a.open {
		if a.open[i].ID == id {
			a.open[i].answered = ""
		}
	}
}

// bar is about the open questions: no line without one, and several where the terminal is narrow.
func (a *asks) bar(empty bool) []ansi.Line {
	q := a.first()
	a.faint = false
	if q == nil {
		return nil
	}
	faint := ansi.Look{Role: ansi.Faint}
	var l ansi.Line
	l.Put("? ", ansi.Look{Role: ansi.Busy, Bold: true})
	l.Put(q.Called, ansi.Look{Bold: true})
	if n := len(a.open); n > 1 {
		l.Put(fmt.Sprintf(textOfSeveral, n), faint)
	}
	switch {
	case q.answered != "":
		l.Put("  "+textAnswering, faint)
	case a.aside:
		l.Put("  "+textAside, faint)
	case !empty:
		l.Put("  "+textNotEmpty, faint)
	default:
		a.keys(&l, q)
		l.Put("  "+textUntil+q.ExpiresAt.Local().Format("15:04"), faint)
	}
	return l.Wrap(a.said.width)
}

// keys are the keys that answer a question; they are faint as long as they do not work.
func (a *asks) keys(l *ansi.Line, q *ask) {
	look := ansi.Look{Bold: true, Role: ansi.Person}
	if a.faint = a.arming(); a.faint {
		look = ansi.Look{Role: ansi.Faint}
	}
	for _, one := range answers() {
		if slices.Contains(q.Choices, one.choice) {
			l.Put("  ["+one.key+"]", look)
			l.Put(" "+one.label, ansi.Look{})
		}
	}
}
