package telegram_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
)

func TestEditTakesThePlaceOfThePreview(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	at := where(c, chat)
	id := outboxtest.SendAll(t, c, at, "thinking")[0].MessageID
	for range 2 { // the second finds it done
		r, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, "the <b>answer</b>"), id))
		if err != nil || r.MessageID != id || r.Time.IsZero() {
			t.Fatalf("edit: %+v, %v", r, err)
		}
	}
	if diff := cmp.Diff([]string{"the answer"}, chat.Texts()); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
	if srv.Count("editMessageText") != 2 || chat.Messages()[0].Preview {
		t.Errorf("%d edits; link preview: %v", srv.Count("editMessageText"), chat.Messages()[0].Preview)
	}
}

func TestEditOfAMessageThatIsGoneSendsANewOne(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	group := srv.Supergroup("Group", srv.User("Ann"))
	at := where(c, group)
	asked := group.Say("what?").MessageID
	id := outboxtest.SendAll(t, c, at, "thinking")[0].MessageID
	n, _ := strconv.ParseInt(id, 10, 64)
	group.Delete(n)
	part := outboxtest.Whole(at, "the answer")
	part.ReplyTo = strconv.FormatInt(asked, 10)
	r, err := c.Send(t.Context(), outboxtest.Edits(part, id))
	if err != nil || r.MessageID == id {
		t.Fatalf("edit: %+v, %v", r, err)
	}
	if diff := cmp.Diff([]string{"the answer"}, group.Texts()); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
	if last := group.Messages()[1]; last.ReplyTo != asked {
		t.Errorf("it answers message %d, want %d", last.ReplyTo, asked)
	}
}

// TestEditWithoutAnAnswerIsMadeAgain: a second edit has no effect, a second message
// would.
func TestEditWithoutAnAnswerIsMadeAgain(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	at := where(c, chat)
	id := outboxtest.SendAll(t, c, at, "thinking")[0].MessageID
	heal := srv.Harm(faketelegram.Rule{Method: "editMessageText", Fault: faketelegram.Fault{DropAfter: true}})
	_, err := c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, "the answer"), id))
	if class := channels.ClassOf(err).Class; class != channels.SendTransient {
		t.Errorf("class %s: %v", class, err)
	}
	heal()
	srv.Harm(faketelegram.Rule{Method: "editMessageText", Times: 1, Fault: faketelegram.Refusal("message to edit not found")})
	srv.Harm(faketelegram.Rule{Method: "sendMessage", Fault: faketelegram.Fault{DropAfter: true}})
	_, err = c.Send(t.Context(), outboxtest.Edits(outboxtest.Whole(at, "the answer"), id))
	if class := channels.ClassOf(err).Class; class != channels.SendAmbiguous {
		t.Errorf("class %s: %v", class, err)
	}
}
