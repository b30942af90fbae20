package slack_test

import (
	"context"
	"testing"
	"time"

	"parley/internal/test/fakeslack"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
)

// only lets in the messages of one person to the bot.
type only struct{ user string }

func (o only) Authorize(_ context.Context, in channels.Inbound) channels.Decision {
	return channels.Decision{Allow: in.Sender.ID == o.user && (in.Mentioned || in.Direct), Reason: "not let in"}
}

// A message that was not let in gets no reaction, although it is the newest in its
// chat: the bot is at work on something else.
func TestWhatIsNotLetInGetsNoReaction(t *testing.T) {
	t.Parallel()
	b := &bench{srv: fakeslack.New(t), store: inboxtest.New(), log: &inboxtest.Log{}}
	ann, bert := b.srv.User("Ann"), b.srv.User("Bert")
	opt := b.options()
	ch, err := slack.New(opt, b.identity())
	if err != nil {
		t.Fatal(err)
	}
	b.runWith(t, ch, opt.Log, only{ann.ID})
	b.srv.Harm(fakeslack.Rule{Method: "assistant.threads.setStatus", Fault: fakeslack.Refusal("no_permission")})
	general := b.srv.Channel("general", ann, bert)
	asked := general.Say(b.srv.Mention() + " hello")
	at := b.store.Await(t, 1)[0].Address
	general.In(asked.TS).As(bert).Say(b.srv.Mention() + " and me")
	general.As(bert).Say("among us")
	b.acked(t)
	if err := ch.Typing(inboxtest.Limited(t), channels.Address{Channel: at.Channel, Account: at.Account, Chat: at.Chat}); err != nil {
		t.Error(err)
	}
	if n := b.srv.Count("reactions.add"); n != 0 {
		t.Errorf("what is said among people got %d reactions", n)
	}
	if err := ch.Typing(inboxtest.Limited(t), at); err != nil {
		t.Error(err)
	}
	got := b.srv.Requests("reactions.add")
	if len(got) != 1 || got[0].Params["timestamp"] != asked.TS {
		t.Errorf("reactions: %+v, want one on %s", got, asked.TS)
	}
}

// Both shapes of a post wait for the store. The one that says that it speaks to the
// bot counts, although the other was there before.
func TestAHeldMentionStaysAMention(t *testing.T) {
	t.Parallel()
	underFakeTime(t, func(_ *slack.Options, b *bench) {
		b.store.Before = func(_ context.Context, call int, _ []channels.Inbound) error {
			if call < 4 {
				return inboxtest.ErrFull
			}
			return nil
		}
	}, func(t *testing.T, b *bench) {
		t.Helper()
		post := func(kind string) {
			b.srv.SendEvent(map[string]any{
				"type": kind, "channel": "C1", "user": "U1", "ts": "100.000200", "text": "a layout says whom it is for",
			})
			after(time.Millisecond)
		}
		post("message")
		post("app_mention")
		after(time.Minute)
		got := b.store.All()
		if len(got) != 1 || !got[0].Mentioned || got[0].Address.Thread != "100.000200" {
			t.Errorf("stored: %+v", got)
		}
		if n := len(b.srv.Unacked()); n != 0 {
			t.Errorf("%d are not acknowledged", n)
		}
	})
}
