package e2e_test

import (
	"testing"

	"parley/internal/test/fakeslack"
	"parley/internal/test/faketelegram"
)

// TestMistypedCommands are answered with those that there are, in the words of each platform, and
// no model is asked.
func TestMistypedCommands(t *testing.T) {
	t.Parallel()
	t.Run("telegram", func(t *testing.T) {
		t.Parallel()
		tg := faketelegram.New(t)
		ada := tg.User("Ada")
		chat, group := tg.Private(ada), tg.Group("all", ada)
		w := newTelegram(t, tg, echoes)
		chat.Say("/hlep")
		w.reads(chat, "There is no command /hlep. Did you mean /help? /help lists the commands.")
		group.Say("/stauts@" + tg.Bot().User().Username)
		w.reads(group, "There is no command /stauts. Did you mean /status? /help lists the commands.")
		if n := len(w.model.Requests()); n > 0 {
			t.Errorf("the model was asked %d times", n)
		}
	})
	t.Run("slack", func(t *testing.T) {
		t.Parallel()
		srv := fakeslack.New(t)
		ann := srv.User("Ann")
		general, direct := srv.Channel("general", ann), srv.DM(ann)
		w := newSlack(t, srv, echoes)
		w.linked()
		general.Command("hlep")
		w.reads(general, "There is no command /parley hlep. Did you mean /parley help? /parley help lists the commands.")
		direct.Say(" /hlep")
		w.reads(direct, "There is no command /parley hlep. Did you mean /parley help? /parley help lists the commands.")
		if n := len(w.model.Requests()); n > 0 {
			t.Errorf("the model was asked %d times", n)
		}
	})
}
