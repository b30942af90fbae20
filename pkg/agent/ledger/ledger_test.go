package ledger_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent/ledger"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// steps are those that reached the store. A timer writes them beside the test.
type steps struct {
	mu     sync.Mutex
	rounds []int
	err    error
}

func (s *steps) Record(_ context.Context, step session.Step) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.rounds = append(s.rounds, step.Round)
	return nil
}

func (s *steps) written() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rounds)
}

// TestStepsAreWrittenInOrder: an answer waits a moment; a step with effects takes it along.
func TestStepsAreWrittenInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var to steps
		w := ledger.NewWriter(&to)
		record := func(kind session.StepKind, round int, want ...int) {
			t.Helper()
			if err := w.Record(t.Context(), session.Step{Kind: kind, Round: round, Call: &session.CallRecord{}}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, to.written()); d != "" {
				t.Errorf("behind round %d (-want +got):\n%s", round, d)
			}
		}
		record(session.StepAnswer, 1)
		record(session.StepBegun, 2, 1, 2)
		record(session.StepAnswer, 3, 1, 2)
		<-time.After(time.Second) // of the fake clock
		synctest.Wait()
		record(session.StepEnded, 4, 1, 2, 3, 4)
		record(session.StepAnswer, 5, 1, 2, 3, 4)
		w.End(t.Context(), true)
		record(session.StepBegun, 6, 1, 2, 3, 4, 6)
	})
}

// TestNoStepBehindAHole: a waiting step that could not be written refuses those behind it.
func TestNoStepBehindAHole(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	to := steps{err: broken}
	w := ledger.NewWriter(&to)
	if err := w.Record(t.Context(), session.Step{Kind: session.StepAnswer}); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(t.Context()); !errors.Is(err, broken) {
		t.Errorf("the waiting step gave %v", err)
	}
	to.err = nil
	if err := w.Record(t.Context(), session.Step{Kind: session.StepBegun}); !errors.Is(err, broken) || len(to.rounds) > 0 {
		t.Errorf("a step behind the hole gave %v, written: %v", err, to.rounds)
	}
}

// TestTheCallsOfARound: a call without an end is unknown unless it may run again, and the calls
// of other rounds do not count.
func TestTheCallsOfARound(t *testing.T) {
	t.Parallel()
	r := ledger.NewRound(2, []providers.ToolCall{{ID: "a"}, {ID: "b"}, {ID: "c"}})
	r.Note(session.Step{Kind: session.StepBegun, Round: 2, Call: &session.CallRecord{Index: 2, ID: "c"}})
	r.Note(session.Step{Kind: session.StepBegun, Round: 2, Call: &session.CallRecord{Index: 1, ID: "b", Rerunnable: true}})
	r.Note(session.Step{Kind: session.StepEnded, Round: 1, Call: &session.CallRecord{Index: 2, ID: "c"}})
	r.Note(session.Step{Kind: session.StepEnded, Round: 2, Call: &session.CallRecord{Index: 0, ID: "a", Result: "done"}})
	unknown := r.Unknown()
	if len(unknown) != 1 || unknown[0].ID != "c" {
		t.Errorf("the calls with an unknown outcome are %v, want c", unknown)
	}
	results := r.Results()
	if len(results) != 1 || results[0].ToolCallID != "a" || results[0].Content != "done" {
		t.Errorf("the results are %v, want that of a", results)
	}
	if again := r.Results(); len(again) > 0 {
		t.Errorf("the results came twice: %v", again)
	}
	var none *ledger.Round
	none.Note(session.Step{})
	if len(none.Unknown())+len(none.Results()) > 0 {
		t.Error("a round without an answer has calls")
	}
}
