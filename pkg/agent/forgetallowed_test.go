package agent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/approval"
)

// TestAnAllowedForgetIsNotTakenBack: the person says yes in time, the forget fails at first, and the turn runs
// again when the time of the question is over. It goes on, and tells the chat nothing else.
func TestAnAllowedForgetIsNotTakenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int32
		var w *world
		w = newWorld(t, script(relay), nil, quietly, withOptions(asking), withOptions(func(o *agent.Options) {
			o.Forget = func(ctx context.Context, f approval.Forget) error {
				<-time.After(10 * time.Second)
				if tries.Add(1) < 3 {
					return errors.New("a call goes on")
				}
				return w.eng.Sessions().Forget(ctx, f.Session)
			}
		}))
		w.write("1", "1", "/forget")
		question := <-w.sent
		<-time.After(approval.Time - 5*time.Second)
		w.press("1", "1", question, "Forget it")
		<-time.After(5 * time.Minute)
		synctest.Wait()
		if tries.Load() != 3 {
			t.Errorf("there were %d attempts, want 3", tries.Load())
		}
		if len(w.sent) != 0 {
			t.Errorf("the chat was told %q", (<-w.sent).Text)
		}
	})
}
