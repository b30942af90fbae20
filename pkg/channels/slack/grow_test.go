package slack_test

import (
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
)

func TestStreamChoosesHowAnAnswerGrows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		stream                                         string
		flatEdits, threadEdits, unheardEdits, streamed bool
	}{
		{stream: "", flatEdits: true, threadEdits: true, unheardEdits: true, streamed: true},
		{stream: "auto", flatEdits: true, threadEdits: true, unheardEdits: true, streamed: true},
		{stream: "native", threadEdits: true, streamed: true},
		{stream: "edit", flatEdits: true, threadEdits: true, unheardEdits: true},
		{stream: "off"},
	} {
		t.Run("stream "+tc.stream, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t, streaming(tc.stream))
			thread, at := threadOf(c, srv)
			flat := where(c, srv.DM(srv.User("Ben")))
			unheard := at
			unheard.Thread = "1.000001"
			for name, got := range map[string]bool{
				"flat":    c.Edits(flat) == tc.flatEdits,
				"thread":  c.Edits(at) == tc.threadEdits,
				"unheard": c.Edits(unheard) == tc.unheardEdits,
			} {
				if !got {
					t.Errorf("%s: Edits is wrong", name)
				}
			}
			id := begin(t, c, at, "The")
			if streams := srv.Count("chat.startStream") == 1; streams != tc.streamed {
				t.Errorf("it is streamed: %v", streams)
			}
			finish(t, c, at, id, "The end.")
			wantOne(t, thread, "The end.")
		})
	}
}

func TestEditShowsAGrowingAnswerOnceASecond(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	dm := srv.DM(srv.User("Ann"))
	at := where(c, dm)
	id := begin(t, c, at, "The")
	for _, text := range []string{"The *answer*", "The *answer* is", "The *answer* is"} {
		show(t, c, at, id, text)
	}
	finish(t, c, at, id, "The *answer* is 42.")
	m := wantOne(t, dm, "The answer is 42.")
	if got := m.Versions; got[0] != "The" || got[1] != "The answer" || got[len(got)-1] != m.Text {
		t.Errorf("it showed %q", got)
	}
	requests := srv.Requests("chat.update")
	for i := range requests[:3] {
		if i > 0 && requests[i].Time.Sub(requests[i-1].Time) < 950*time.Millisecond {
			t.Errorf("update %d comes %s after the one before", i, requests[i].Time.Sub(requests[i-1].Time))
		}
	}
}

// TestAWaitOfAnUpdateIsObeyed: it is an update's that finishes the answer, too.
func TestAWaitOfAnUpdateIsObeyed(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	at := where(c, srv.DM(srv.User("Ann")))
	id := begin(t, c, at, "The")
	srv.Harm(fakeslack.Rule{Method: "chat.update", Times: 1, Fault: fakeslack.RateLimited(7)})
	err := c.Edit(t.Context(), at, id, "The answer")
	if se := channels.ClassOf(err); se.Class != channels.SendRateLimited || se.RetryAfter != 7*time.Second {
		t.Errorf("Edit: %v", err)
	}
	for range 3 {
		if c.Edit(t.Context(), at, id, "The answer is") == nil {
			t.Error("it was shown")
		}
	}
	wantCounts(t, srv, map[string]int{"chat.update": 1})
}

func TestEditOfAPreviewThatIsGoneShowsNothing(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	dm := srv.DM(srv.User("Ann"))
	id := begin(t, c, where(c, dm), "The")
	dm.Delete(id)
	for range 2 {
		if c.Edit(t.Context(), where(c, dm), id, "The end") == nil {
			t.Error("it was shown")
		}
	}
	wantCounts(t, srv, map[string]int{"chat.update": 1, "chat.postMessage": 1})
}

// TestALimitOfEditsHoldsNoMessages: it is that of one method in the whole workspace, so
// growing answers leave the rest of it to finished ones, and new messages go on
// everywhere.
func TestALimitOfEditsHoldsNoMessages(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	var all []channels.Address
	var ids []string
	for range 5 {
		at := where(c, srv.DM(srv.User("Ann")))
		all, ids = append(all, at), append(ids, begin(t, c, at, "The"))
	}
	srv.Harm(fakeslack.Rule{Method: "chat.update", Fault: fakeslack.RateLimited(7)})
	if c.Edit(t.Context(), all[0], ids[0], "The answer") == nil || c.Edit(t.Context(), all[1], ids[1], "The answer") == nil {
		t.Error("it was shown")
	}
	wantCounts(t, srv, map[string]int{"chat.update": 1})
	for i := range 3 {
		_, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(all[2+i], "The answer"), ids[2+i]))
		if se := channels.ClassOf(err); se.Class != channels.SendRateLimited || se.RetryAfter != 7*time.Second || se.Account {
			t.Errorf("Send: %v, for the account: %v", err, se.Account)
		}
	}
}
