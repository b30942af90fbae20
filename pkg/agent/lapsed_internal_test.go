package agent

import (
	"testing"
	"time"

	"parley/pkg/session"
)

// TestAClockThatIsPutBackGivesNoTime to answer a question.
func TestAClockThatIsPutBackGivesNoTime(t *testing.T) {
	t.Parallel()
	asked := time.Unix(1_000_000, 0)
	a := &session.Approval{Asked: asked, Expires: asked.Add(approvalTime)}
	for after, want := range map[time.Duration]bool{
		-time.Hour: true, -1: true, 0: false, approvalTime - 1: false, approvalTime: true, time.Hour: true,
	} {
		if lapsed(a, asked.Add(after)) != want {
			t.Errorf("%v after it was asked: %v", after, !want)
		}
	}
}
