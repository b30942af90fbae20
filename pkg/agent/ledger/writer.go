package ledger

import (
	"context"
	"sync"
	"time"

	"parley/pkg/session"
)

// holdSteps is how long a step may wait to be written. Most turns that only look
// something up are committed before, and their steps are not written: the commit holds
// all of it.
const holdSteps = 20 * time.Millisecond

// endSteps bounds the writing of waiting steps when a turn ends without a commit.
const endSteps = 5 * time.Second

// Steps is the record of a turn in the store; the method is that of [session.Turn].
type Steps interface {
	Record(ctx context.Context, s session.Step) error
}

// Writer writes a turn's ledger, in order. A step that a crash may lose, because
// asking or looking again has no effect, waits a moment; any other is written at once,
// after all that wait.
type Writer struct {
	to Steps

	mu    sync.Mutex
	held  []session.Step
	timer *time.Timer
	ended bool
	// err is the reason for which a step was not handed on; later steps are not
	// written, because a ledger with a hole would let a call run again.
	err error
}

// NewWriter writes to the record of one turn.
func NewWriter(to Steps) *Writer { return &Writer{to: to} }

// mayWait says whether a crash may lose the step: an answer, or the result of a call
// that may run again and sent no message.
func mayWait(s *session.Step) bool {
	if s.Await || len(s.Outbox) > 0 || len(s.Tasks) > 0 || len(s.Approvals) > 0 {
		return false
	}
	return s.Kind == session.StepAnswer || s.Kind == session.StepEnded && s.Call.Rerunnable && s.Call.TaskID == ""
}

// Record writes a step, or lets it wait.
func (w *Writer) Record(ctx context.Context, s session.Step) error {
	w.mu.Lock()
	if mayWait(&s) && !w.ended {
		w.held = append(w.held, s)
		if w.timer == nil {
			late := context.WithoutCancel(ctx)
			w.timer = time.AfterFunc(holdSteps, func() { _ = w.Flush(late) }) // the next step meets the error
		}
		w.mu.Unlock()
		return nil
	}
	err := w.write(ctx)
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return w.to.Record(ctx, s)
}

// Flush writes the waiting steps.
func (w *Writer) Flush(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write(ctx)
}

// write hands the waiting steps to the engine, in order; the lock is held.
func (w *Writer) write(ctx context.Context) error {
	held := w.held
	w.held = nil
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	for i := range held {
		if w.err == nil {
			w.err = w.to.Record(ctx, held[i])
		}
	}
	return w.err
}

// End closes the ledger. Waiting steps are written if the turn goes on another time,
// and forgotten if it was committed.
func (w *Writer) End(ctx context.Context, committed bool) { //nolint:revive // flag-parameter: it says how the turn ended
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if committed {
		w.held = nil
	}
	n := len(w.held)
	if n == 0 {
		_ = w.write(ctx) // it stops the timer
		return
	}
	w.held[n-1].Await = true // a step that is still on its way when the attempt ends is refused
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endSteps)
	defer cancel()
	_ = w.write(ctx) // the turn has failed already, and its next attempt does the missing work
}
