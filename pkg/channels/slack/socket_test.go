package slack_test

import (
	"slices"
	"testing"

	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
)

// A message in a direct chat, a mention in a channel and a reply below it.
func TestSocketModeTakesMessagesIn(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ann := b.srv.User("Ann")
	dm, general := b.srv.DM(ann), b.srv.Channel("general", ann)
	team, _, _ := b.srv.Identity()

	first := dm.Say("hello &amp; welcome")
	got := b.store.Await(t, 1)[0]
	if got.ID != "msg/"+dm.ID()+"/"+first.TS || got.Text != "hello & welcome" || !got.Direct ||
		got.Address != (channels.Address{Channel: "slack", Account: team, Chat: dm.ID()}) || got.Sender.ID != ann.ID {
		t.Errorf("the message is %+v", got)
	}
	b.acked(t)
	asked := general.Say(b.srv.Mention() + " what time is it?")
	got = b.store.Await(t, 2)[1]
	if got.Text != "what time is it?" || !got.Mentioned || got.Direct || got.Address.Thread != asked.TS {
		t.Errorf("the mention is %+v", got)
	}
	general.In(asked.TS).Say(b.srv.Mention() + " and now?")
	got = b.store.Await(t, 3)[2]
	if got.Address.Thread != asked.TS || got.Text != "and now?" {
		t.Errorf("the reply is %+v", got)
	}
	b.acked(t)
	if all := inboxtest.Texts(b.store.All()); !slices.Equal(all, []string{"hello & welcome", "what time is it?", "and now?"}) {
		t.Errorf("stored: %q", all)
	}
	b.keepsSecrets(t)
}
