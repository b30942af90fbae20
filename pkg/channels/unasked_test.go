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
			e.box.restore(channels.DeliveryInfo{
				Outbound: channels.Outbound{ID: id, Address: address(id), Text: id, Unasked: channels.ByTask},
				Awaited:  asked,
			})
		}
		waits := make(chan struct{})
		e.box.restore(channels.DeliveryInfo{
			Outbound: channels.Outbound{ID: "own", Address: address("own"), Text: "own", Unasked: channels.ByTask},
			Awaited:  waits,
		})
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

// TestNewcomersShareTheRate queues the answers of a thousand chats at an account that
// sends one a second, and then those of later senders. The answer to the newest sender
// leaves within seconds, and those that wait longest leave beside it.
func TestNewcomersShareTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{PerAccount: 1}}, nil)
		put := func(chat string, asked time.Time) {
			e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: chat, Address: address(chat), Text: chat, Asked: asked}})
			synctest.Wait()
		}
		left := func(chats ...string) {
			t.Helper()
			for _, chat := range chats {
				if n := len(e.plat.attempts(chat)); n != 1 {
					t.Errorf("%s: %d messages left", chat, n)
				}
			}
		}
		begin := time.Now()
		var all []string
		for i := range 1000 {
			all = append(all, fmt.Sprint("n", i))
			put(all[i], begin)
		}
		pass(10 * time.Second)
		for i := range 8 {
			all = append(all, fmt.Sprint("newcomer", i))
			put(all[len(all)-1], time.Now().Add(time.Duration(i)))
		}
		for i := range 100 { // the crowd's too, but made later
			all = append(all, fmt.Sprint("later", i))
			put(all[len(all)-1], begin)
		}
		pass(8 * time.Second)
		left(append([]string{"newcomer7"}, all[:14]...)...)
		pass(time.Duration(len(all)) * time.Second)
		left(all...)
	})
}

// TestDeliveriesOfTheNewestShareTheRate: of the answers that wait for the account's
// rate, those that the outbox handed out as the newest come first in the part for
// newcomers, since each of them keeps a lane for the newest; without one, the answer to
// the newest sender.
func TestDeliveriesOfTheNewestShareTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &platform{limits: channels.Limits{PerAccount: 1}}, nil)
		put := func(chat string, asked time.Time, newest bool) {
			e.box.restore(channels.DeliveryInfo{
				Outbound: channels.Outbound{ID: chat, Address: address(chat), Text: chat, Asked: asked},
				Newest:   newest,
			})
			synctest.Wait()
		}
		begin := time.Now()
		for i := range 100 {
			put(fmt.Sprint("n", i), begin.Add(time.Duration(i)), false)
		}
		put("newcomer", begin, true)
		pass(5 * time.Second)
		if n := len(e.plat.attempts("newcomer")); n != 1 {
			t.Errorf("%d messages left for the newcomer", n)
		}
		pass(200 * time.Second)
	})
}

// TestThreadsOfAChatThatHangLeavePlacesToOthers lets the sends to all threads of a chat
// hang: a message of another chat finds a place at once, and all threads get theirs.
func TestThreadsOfAChatThatHangLeavePlacesToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &platform{answer: func(_ context.Context, part channels.Part) error {
			if part.Address.Thread != "" {
				<-time.After(time.Second)
			}
			return nil
		}}
		e := start(t, p, func(o *channels.EgressOptions) { o.MaxInFlight = 8 })
		const threads = 100
		for i := range threads {
			id, at := fmt.Sprint("n", i), address("forum")
			at.Thread = id
			e.box.restore(channels.DeliveryInfo{Outbound: channels.Outbound{ID: id, Address: at, Text: id}})
		}
		synctest.Wait()
		e.box.put("person", "p", "answer")
		synctest.Wait()
		if n := len(e.plat.attempts("person")); n != 1 {
			t.Errorf("%d answers left beside a chat whose sends hang", n)
		}
		pass(time.Minute)
		if n := len(e.plat.attempts("forum")); n != threads {
			t.Errorf("%d messages left for %d threads", n, threads)
		}
	})
}
