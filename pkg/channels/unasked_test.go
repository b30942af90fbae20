package channels_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
)

// TestAnswersDoNotWaitBehindUnaskedMessages queues a thousand messages for which no
// person waits at an account that sends one a second: an answer, and a message of the
// thousand behind which an answer stands, leave within seconds, and the thousand leave at
// the account's rate.
func TestAnswersDoNotWaitBehindUnaskedMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{PerAccount: 1}}, nil)
		asked := make(chan struct{})
		const crowd = 1000
		for i := range crowd {
			id := fmt.Sprint("n", i)
			e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: id, Address: address(id), Text: id, Unasked: channels.ByTask}, Awaited: asked})
		}
		waits := make(chan struct{})
		e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: "own", Address: address("own"), Text: "own", Unasked: channels.ByTask}, Awaited: waits})
		pass(10 * time.Second)
		e.box.put("person", "p", "answer")
		close(waits)
		pass(5 * time.Second)
		for _, chat := range []string{"person", "own"} {
			if n := len(e.plat.attempts(chat)); n != 1 {
				t.Errorf("%s: %d messages left", chat, n)
			}
		}
		pass((crowd + 5) * time.Second)
		for i := range crowd {
			if n := len(e.plat.attempts(fmt.Sprint("n", i))); n != 1 {
				t.Fatalf("message %d left %d times", i, n)
			}
		}
	})
}

// TestUnaskedMessagesThatHangLeavePlacesToAnswers lets the sends of unasked messages
// take their time: an answer finds a place at once.
func TestUnaskedMessagesThatHangLeavePlacesToAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &platform{answer: func(_ context.Context, part channels.Part) error {
			if part.Unasked != "" {
				<-time.After(time.Second)
			}
			return nil
		}}
		e := start(t, p, func(o *channels.EgressOptions) { o.MaxInFlight = 4 })
		for i := range 100 {
			id := fmt.Sprint("n", i)
			e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: id, Address: address(id), Text: id, Unasked: channels.ByTask}})
		}
		synctest.Wait()
		e.box.put("person", "p", "answer")
		synctest.Wait()
		if n := len(e.plat.attempts("person")); n != 1 {
			t.Errorf("%d answers left beside messages that hang", n)
		}
		pass(time.Minute)
	})
}
