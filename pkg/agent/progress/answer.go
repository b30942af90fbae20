package progress

import (
	"strings"
	"sync"
	"time"
)

// answer is a growing answer and the notes on the work for it.
type answer struct {
	mu      sync.Mutex
	round   int
	text    strings.Builder
	began   time.Time // when the text of the present round began
	beside  string    // the newest text beside calls
	note    string    // the agent's present or last activity
	pending string    // a note that has not been told yet
	drafted bool      // the drafter has shown something
}

// frame is the display of a moment, without the parts that must not be shown (yet).
type frame struct {
	round  int
	began  time.Time
	text   string
	beside string
	note   string
	// untold is the note when it is a new one.
	untold string
}

// add appends a piece of the present text.
func (a *answer) add(piece string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.began.IsZero() {
		a.began = time.Now()
	}
	a.text.WriteString(piece)
}

// restart forgets the text of a request that was cut off.
func (a *answer) restart() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Reset()
}

// nextRound begins a new text. The last one stood beside tool calls.
func (a *answer) nextRound() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.round++
	if a.text.Len() > 0 {
		a.beside, a.note = a.text.String(), ""
	}
	a.text.Reset()
	a.began = time.Time{}
}

// isAt says whether a round is the present one.
func (a *answer) isAt(round int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return round == a.round
}

// status sets the note.
func (a *answer) status(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.note, a.pending = text, text
}

// setDrafted notes that the drafter has shown something.
func (a *answer) setDrafted() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drafted = true
}

func (a *answer) isDrafted() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.drafted
}

// take gives the present state; its note is no new one after that.
func (a *answer) take() frame {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := frame{round: a.round, began: a.began, text: a.text.String(), beside: a.beside, note: a.note, untold: a.pending}
	a.pending = ""
	return f
}
