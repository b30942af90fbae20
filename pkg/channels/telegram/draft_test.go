package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels/telegram"
)

func streaming(how string) func(*telegram.Options) {
	return func(o *telegram.Options) { o.Stream = how }
}

func TestDraftGrowsInAPrivateChat(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	at := where(c, chat)
	for _, text := range []string{"The", "The **ans", "The **answer** is"} {
		if err := c.Draft(t.Context(), at, "turn/draft/0", text); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Draft(t.Context(), at, "turn/draft/1", "Another"); err != nil {
		t.Fatal(err)
	}
	var seen []string
	drafts := chat.Drafts()
	for i, d := range drafts {
		seen = append(seen, d.Text)
		if d.ID <= 0 || (i < 3) != (d.ID == drafts[0].ID) {
			t.Errorf("draft %d has the number %d", i, d.ID)
		}
		if i > 0 && d.Time.Sub(drafts[i-1].Time) < 250*time.Millisecond {
			t.Errorf("draft %d comes %s after the one before", i, d.Time.Sub(drafts[i-1].Time))
		}
	}
	if diff := cmp.Diff([]string{"The", "The **ans", "The answer is", "Another"}, seen); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
	outboxtest.SendAll(t, c, at, "The **answer** is 42.")
	if diff := cmp.Diff([]string{"The answer is 42."}, chat.Texts()); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
}

// TestDraftOfAQuickAnswerIsNotShown: it ends before its first text is due.
func TestDraftOfAQuickAnswerIsNotShown(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Draft(ctx, where(c, chat), "turn/draft/0", "text"); !errors.Is(err, context.Canceled) {
		t.Errorf("Draft: %v", err)
	}
	if n := srv.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestDraftOfALongTextShowsItsEnd(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	text := strings.Repeat("All work and no play. ", 1000) + "The end."
	if err := c.Draft(t.Context(), where(c, chat), "turn/draft/0", text); err != nil {
		t.Fatal(err)
	}
	if d := chat.Drafts()[0]; !strings.HasSuffix(d.Text, "The end.") {
		t.Errorf("it shows …%q", d.Text[max(0, len(d.Text)-40):])
	}
}

func TestDraftThatCannotBeParsedIsShownPlain(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	chat := srv.Private(srv.User("Ann"))
	srv.Harm(faketelegram.Rule{Method: "sendMessageDraft", Times: 1, Fault: faketelegram.ParseError()})
	if err := c.Draft(t.Context(), where(c, chat), "turn/draft/0", "**bold**"); err != nil {
		t.Fatal(err)
	}
	if d := chat.Drafts(); len(d) != 1 || d[0].Text != "bold" || len(d[0].Entities) != 0 {
		t.Errorf("drafts %+v", d)
	}
}

func TestDraftsAreOverWhereTheServerKnowsNone(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	at := where(c, srv.Private(srv.User("Ann")))
	other := where(c, srv.Private(srv.User("Ben")))
	srv.Harm(faketelegram.Rule{Method: "sendMessageDraft", Fault: faketelegram.Fault{Code: 404, Description: "Not Found: method not found"}})
	if c.Edits(at) {
		t.Error("a message is edited before drafts were tried")
	}
	for i := range 3 {
		if err := c.Draft(t.Context(), at, fmt.Sprint(i), "text"); err == nil {
			t.Error("a draft was shown")
		}
	}
	if err := c.Draft(t.Context(), other, "0", "text"); err == nil {
		t.Error("a draft was shown in another chat")
	}
	if n := srv.Count("sendMessageDraft"); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	if !c.Edits(at) || !c.Edits(other) {
		t.Error("no message is edited instead")
	}
}

// TestDraftObeysAWait: a draft that may not be shown for long is dropped, and no other
// chat is affected.
func TestDraftObeysAWait(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faketelegram.Fault{
		"429":     faketelegram.TooManyRequests(30),
		"refused": faketelegram.Refusal("TEXTDRAFT_PEER_INVALID"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t)
			at := where(c, srv.Private(srv.User("Ann")))
			other := srv.Private(srv.User("Ben"))
			srv.Harm(faketelegram.Rule{Method: "sendMessageDraft", Times: 1, Fault: fault})
			for range 3 {
				if err := c.Draft(t.Context(), at, "turn/draft/0", "text"); err == nil {
					t.Error("a draft was shown")
				}
			}
			if n := srv.Count("sendMessageDraft"); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			if err := c.Draft(t.Context(), where(c, other), "turn/draft/0", "text"); err != nil || len(other.Drafts()) != 1 {
				t.Errorf("the other chat: %v, %d drafts", err, len(other.Drafts()))
			}
		})
	}
}

func TestStreamChoosesHowAnAnswerGrows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		stream                                  string
		draftsPrivate, editsPrivate, editsGroup bool
	}{
		{stream: "", draftsPrivate: true, editsGroup: true},
		{stream: "auto", draftsPrivate: true, editsGroup: true},
		{stream: "draft", draftsPrivate: true},
		{stream: "edit", editsPrivate: true, editsGroup: true},
		{stream: "off"},
	} {
		t.Run("stream "+tc.stream, func(t *testing.T) {
			t.Parallel()
			srv, c := sender(t, streaming(tc.stream))
			private, group := srv.Private(srv.User("Ann")), srv.Group("Group", srv.User("Ben"))
			err := c.Draft(t.Context(), where(c, private), "0", "text")
			if (err == nil) != tc.draftsPrivate || (len(private.Drafts()) > 0) != tc.draftsPrivate {
				t.Errorf("a draft in private: %v, %d shown", err, len(private.Drafts()))
			}
			if err := c.Draft(t.Context(), where(c, group), "0", "text"); err == nil {
				t.Error("a draft in a group")
			}
			if got := c.Edits(where(c, private)); got != tc.editsPrivate {
				t.Errorf("edits in private: %v", got)
			}
			if got := c.Edits(where(c, group)); got != tc.editsGroup {
				t.Errorf("edits in a group: %v", got)
			}
		})
	}
}

func TestEditShowsAGrowingAnswerOnceASecond(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	group := srv.Forum("Forum", srv.User("Ann")).Topic("One")
	at := where(c, group)
	id := outboxtest.SendAll(t, c, at, "…")[0].MessageID
	for _, text := range []string{"The", "The *answer*", "The *answer*"} { // the last edit has no change
		if err := c.Edit(t.Context(), at, id, text); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"…", "The", "The answer"}, group.Messages()[0].Versions); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
	requests := srv.Requests("editMessageText")
	for i := range requests {
		if i > 0 && requests[i].Time.Sub(requests[i-1].Time) < 950*time.Millisecond {
			t.Errorf("edit %d comes %s after the one before", i, requests[i].Time.Sub(requests[i-1].Time))
		}
	}
	if len(requests) != 3 {
		t.Errorf("%d edits, want 3", len(requests))
	}
}

// TestEditOfAPreviewThatIsGoneShowsNothing: only the outbox sends messages.
func TestEditOfAPreviewThatIsGoneShowsNothing(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	group := srv.Supergroup("Group", srv.User("Ann"))
	at := where(c, group)
	id := outboxtest.SendAll(t, c, at, "…")[0].MessageID
	n, _ := strconv.ParseInt(id, 10, 64)
	group.Delete(n)
	for range 2 {
		if err := c.Edit(t.Context(), at, id, "text"); err == nil {
			t.Error("it was shown")
		}
	}
	if srv.Count("editMessageText") != 1 || srv.Count("sendMessage") != 1 {
		t.Errorf("%d edits and %d messages, want 1 and 1", srv.Count("editMessageText"), srv.Count("sendMessage"))
	}
}

func TestTypingInItsTopic(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	topic := srv.Forum("Forum", srv.User("Ann")).Topic("One")
	if err := c.Typing(t.Context(), where(c, topic)); err != nil {
		t.Fatal(err)
	}
	if a := topic.Actions(); len(a) != 1 || a[0].Name != "typing" || a[0].Thread != topic.Thread() {
		t.Errorf("actions %+v", a)
	}
}
