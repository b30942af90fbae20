package telegram_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/internal/test/outboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// TestWebhookHandsOnThePartsOfAnAlbum: the next part comes only after the last is
// confirmed, which is after it is stored; so the store is told which parts belong
// together.
func TestWebhookHandsOnThePartsOfAnAlbum(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var waiting []int
	b, _ := newHook(t, func(_ *telegram.Options, b *bench) {
		b.store.Before = func(context.Context, int, []channels.Inbound) error {
			mu.Lock()
			defer mu.Unlock()
			waiting = append(waiting, len(b.bot.Unconfirmed()))
			return nil
		}
	})
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Album([]faketelegram.Item{
		{Photo: picture(1), Caption: "one"}, {Photo: picture(2), Caption: "two"}, {Photo: picture(3), Caption: "three"},
	})
	items := b.store.Await(t, 3)
	b.confirmed(t)
	album := items[0].Group
	for i, want := range []string{"one", "two", "three"} {
		if items[i].Text != want || len(items[i].Attachments) != 1 || items[i].Group != album || album == "" {
			t.Errorf("part %d of %q is %q with %d pictures of %q", i, album, items[i].Text, len(items[i].Attachments), items[i].Group)
		}
	}
	mu.Lock()
	if diff := cmp.Diff([]int{3, 2, 1}, waiting); diff != "" {
		t.Errorf("not confirmed when each was stored (-want +got)\n%s", diff)
	}
	mu.Unlock()
	first := ada.Album([]faketelegram.Item{{Photo: picture(4)}, {Photo: picture(5)}})[0]
	ada.Edit(first.MessageID, "edited")
	ada.Photo(picture(6), "single")
	items = b.store.Await(t, 7)[3:]
	if items[0].Group == album || items[0].Group != items[1].Group || items[2].Group != "" || items[3].Group != "" {
		t.Errorf("another album, an edit of it and a picture are of %q, %q, %q and %q",
			items[0].Group, items[1].Group, items[2].Group, items[3].Group)
	}
}

// reader is a model that repeats the words since its last answer, and answers when it
// may.
type reader struct {
	said chan []string
	next chan struct{}
}

// Chat implements [providers.LLMProvider].
func (r reader) Chat(
	ctx context.Context, messages []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	var said []string
	for i := range messages {
		switch m := &messages[i]; {
		case m.Role == providers.RoleUser && !m.Aside:
			said = append(said, m.Content)
		case m.Role == providers.RoleAssistant:
			said = nil
		}
	}
	r.said <- said
	select {
	case <-r.next:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &providers.LLMResponse{Content: "seen", FinishReason: providers.FinishStop}, nil
}

// listens is a policy at the gate, as the gateway has it.
type listens struct{ *policy.Policy }

// Authorize implements [channels.Authorizer].
func (l listens) Authorize(ctx context.Context, in channels.Inbound) channels.Decision {
	v := l.Policy.Authorize(ctx, policy.Event{
		Kind: policy.Kind(in.Kind), Address: in.Address, Sender: in.Sender, Direct: in.Direct, Mentioned: in.Mentioned,
	})
	return channels.Decision{Allow: v.Allow, Overheard: v.Overheard, Reason: v.Reason}
}

// album is pictures with captions.
func album(captions ...string) []faketelegram.Item {
	var all []faketelegram.Item
	for i, caption := range captions {
		all = append(all, faketelegram.Item{Document: faketelegram.File{Name: fmt.Sprintf("%d.png", i+1), Data: picture(i)}, Caption: caption})
	}
	return all
}

// summary is a message of which of each file only the name is left.
func summary(message string) string {
	var lines []string
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		if file, ok := strings.CutPrefix(line, "[document "); ok {
			line, _, _ = strings.Cut(file, ",")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

// TestWebhookAlbum has albums come over a webhook, from the server to the model
// and back: to a chat at rest, to a busy one, and to a group in which only the part
// with the caption speaks to the bot.
func TestWebhookAlbum(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t)
	ada, ben := srv.User("Ada"), srv.User("Ben")
	chat, club := srv.Private(ada), srv.Supergroup("Club", ada, ben)
	p, err := policy.New(policy.Options{Channels: map[string]policy.ChannelRules{telegram.Name: {Allow: []string{fmt.Sprint(ada.ID)}}}})
	if err != nil {
		t.Fatal(err)
	}
	addr := freeAddr(t)
	c := senderTo(t, srv, func(o *telegram.Options) {
		o.Webhook = &telegram.Webhook{Listen: addr, PublicURL: "http://" + addr + "/", Secret: func() string { return hookSecret }}
	})
	model := reader{said: make(chan []string), next: make(chan struct{})}
	var passed atomic.Int64 // the store's clock stands, so that no album is over before it is whole
	began := time.Now()
	store := outboxtest.OpenAt(t, t.TempDir(), func() time.Time { return began.Add(time.Duration(passed.Load())) })
	serveFor(t, store, c, model, listens{p}, p.Authorize)
	whole := func() {
		t.Helper()
		if err := srv.Bot().AwaitConfirmed(inboxtest.Limited(t)); err != nil {
			t.Fatal(err)
		}
		passed.Add(int64(session.AlbumWindow))
	}
	hears := func(want ...string) {
		t.Helper()
		select {
		case said := <-model.said:
			for i := range said {
				said[i] = summary(said[i])
			}
			if diff := cmp.Diff(want, said); diff != "" {
				t.Errorf("the model was told (-want +got)\n%s", diff)
			}
		case <-inboxtest.Limited(t).Done():
			t.Fatalf("the model was told nothing, want %q", want)
		}
	}
	answer := func(at *faketelegram.Chat, n int) {
		t.Helper()
		select {
		case model.next <- struct{}{}:
		case <-inboxtest.Limited(t).Done():
			t.Fatal("the model was not asked")
		}
		if err := srv.Until(inboxtest.Limited(t),
			func() bool { return slices.Equal(at.Texts(), slices.Repeat([]string{"seen"}, n)) }); err != nil {
			t.Fatalf("%v: %q", err, at.Texts())
		}
	}
	hooked := func() bool {
		all := srv.Requests("setWebhook")
		return len(all) > 0 && all[len(all)-1].Status == http.StatusOK
	}
	if err := srv.Until(inboxtest.Limited(t), hooked); err != nil {
		t.Fatal(err)
	}

	chat.Album(album("the trip", "", "the beach"))
	whole()
	hears("the trip the beach 1.png 2.png 3.png")
	parts := chat.Album(album("", "", "back", "")) // while the turn runs
	if err := srv.Bot().AwaitConfirmed(inboxtest.Limited(t)); err != nil {
		t.Fatal(err)
	}
	srv.Bot().Repeat(parts[1]) // its confirmation was lost
	chat.Say("well?")
	if err := srv.Bot().AwaitConfirmed(inboxtest.Limited(t)); err != nil {
		t.Fatal(err)
	}
	answer(chat, 1)
	hears("back 1.png 2.png 3.png 4.png", "well?")
	answer(chat, 2)

	mention := "@" + srv.Bot().User().Username
	club.As(ben).Album(album(mention+" let me in", ""))
	club.As(ada).Album(album("to nobody", ""))
	club.As(ada).Album(album(mention+" look", "", ""))
	whole()
	hears("Ada: " + mention + " look 1.png 2.png 3.png")
	answer(club, 1)
}
