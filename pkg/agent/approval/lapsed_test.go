package approval_test

import (
	"testing"
	"time"

	"parley/pkg/agent/approval"
	"parley/pkg/session"
)

// TestAClockThatIsPutBackGivesNoTime to answer a question.
func TestAClockThatIsPutBackGivesNoTime(t *testing.T) {
	t.Parallel()
	asked := time.Unix(1_000_000, 0)
	a := &session.Approval{Asked: asked, Expires: asked.Add(approval.Time)}
	for after, want := range map[time.Duration]bool{
		-time.Hour: true, -1: true, 0: false, approval.Time - 1: false, approval.Time: true, time.Hour: true,
	} {
		if approval.Lapsed(a, asked.Add(after)) != want {
			t.Errorf("%v after it was asked: %v", after, !want)
		}
	}
}
