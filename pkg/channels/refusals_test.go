package channels_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
)

// TestALoneRefusalOfAMessage: one send is refused as if the account might not send,
// and the second one takes place after a second.
func TestALoneRefusalOfAMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		e := start(t, &platform{answer: func(context.Context, channels.Part) error {
			if n.Add(1) == 1 {
				return failure(channels.SendAuth, 0)
			}
			return nil
		}}, nil)
		e.box.put("chat0", "m0", "text")
		synctest.Wait()
		if got := e.Health(); got.State != channels.HealthDegraded {
			t.Errorf("health = %+v", got)
		}
		e.box.put("chat1", "m1", "text")
		pass(2 * time.Second)
		for _, id := range []string{"m0", "m1"} {
			if got := e.box.outcome(id).State; got != channels.Delivered {
				t.Errorf("%s: %q", id, got)
			}
		}
		if got := e.Health().State; got != channels.HealthOK {
			t.Errorf("health = %s", got)
		}
	})
}

// TestRefusalsOfOneMoment: sends of several chats are refused at once, and the attempt
// after that fails in another way. That is one refusal: all are there a moment later.
func TestRefusalsOfOneMoment(t *testing.T) {
	t.Parallel()
	const chats = 8
	for name, class := range map[string]channels.SendClass{
		"well": "", "a server's fault": channels.SendTransient, "an unknown fate": channels.SendAmbiguous, "too many": channels.SendRateLimited,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int64
				e := start(t, &platform{answer: func(context.Context, channels.Part) error {
					switch n := n.Add(1); {
					case n <= chats:
						<-time.After(time.Duration(n) * time.Millisecond) // until all are under way
						return failure(channels.SendAuth, 0)
					case n == chats+1 && class != "":
						return failure(class, 0)
					default:
						return nil
					}
				}}, nil)
				for i := range chats {
					e.box.put(fmt.Sprintf("chat%d", i), fmt.Sprintf("m%d", i), "text")
				}
				pass(500 * time.Millisecond)
				if got := e.Health(); got.State != channels.HealthDegraded {
					t.Errorf("health = %+v", got)
				}
				pass(20 * time.Second)
				for i := range chats {
					if got := e.box.outcome(fmt.Sprintf("m%d", i)).State; got != channels.Delivered {
						t.Errorf("m%d: %q", i, got)
					}
				}
			})
		})
	}
}
