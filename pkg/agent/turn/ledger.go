package turn

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

// ledgerWriter writes a turn's ledger, in order. A step that a crash may lose, because
// asking or looking again has no effect, waits a moment; any other is written at once,
// after all that wait.
type ledgerWriter struct {
	t session.Turn

	mu    sync.Mutex
	held  []session.Step
	timer *time.Timer
	ended bool
	// err is the reason for which a step was not handed on; later steps are not
	// written, because a ledger with a hole would let a call run again.
	err error
}

// mayWait says whether a crash may lose the step: an answer, or the result of a call
// that may run again and sent no message.
func mayWait(s *session.Step) bool {
	if s.Await || len(s.Outbox) > 0 || len(s.Tasks) > 0 || len(s.Approvals) > 0 {
		return false
	}
	return s.Kind == session.StepAnswer || s.Kind == session.StepEnded && s.Call.Rerunnable && s.Call.TaskID == ""
}

// record writes a step, or lets it wait.
func (l *ledgerWriter) record(ctx context.Context, s session.Step) error {
	l.mu.Lock()
	if mayWait(&s) && !l.ended {
		l.held = append(l.held, s)
		if l.timer == nil {
			late := context.WithoutCancel(ctx)
			l.timer = time.AfterFunc(holdSteps, func() { _ = l.flush(late) }) // the next step meets the error
		}
		l.mu.Unlock()
		return nil
	}
	err := l.write(ctx)
	l.mu.Unlock()
	if err != nil {
		return err
	}
	return l.t.Record(ctx, s)
}

// flush writes the waiting steps.
func (l *ledgerWriter) flush(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(ctx)
}

// write hands the waiting steps to the engine, in order; the lock is held.
func (l *ledgerWriter) write(ctx context.Context) error {
	held := l.held
	l.held = nil
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	for i := range held {
		if l.err == nil {
			l.err = l.t.Record(ctx, held[i])
		}
	}
	return l.err
}

// end closes the ledger. Waiting steps are written if the turn goes on another time,
// and forgotten if it was committed.
func (l *ledgerWriter) end(ctx context.Context, committed bool) { //nolint:revive // flag-parameter: it says how the turn ended
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if committed {
		l.held = nil
	}
	n := len(l.held)
	if n == 0 {
		_ = l.write(ctx) // it stops the timer
		return
	}
	l.held[n-1].Await = true // a step that is still on its way when the attempt ends is refused
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endSteps)
	defer cancel()
	_ = l.write(ctx) // the turn has failed already, and its next attempt does the missing work
}
