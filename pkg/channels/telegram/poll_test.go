package telegram_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
)

func TestFirstPollWaitsForNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(_ *telegram.Options, b *bench) {
		b.srv.Harm(faketelegram.Rule{Method: "getMe", Fault: faketelegram.Fault{HalfOpen: true}})
	})
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Say("hello")
	items := b.store.Await(t, 1)
	want := channels.Address{Channel: "telegram", Account: strconv.FormatInt(b.bot.ID(), 10), Chat: strconv.FormatInt(ada.ID(), 10)}
	if items[0].Address != want || !items[0].Direct || items[0].Text != "hello" {
		t.Errorf("%+v", items[0])
	}
	b.confirmed(t)
}

func TestPoisonUpdateIsSkippedAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Say("one")
	b.bot.Push("message", "a secret garbage")
	b.bot.Push("message", map[string]any{"message_id": "a secret nine", "chat": map[string]any{"id": ada.ID()}})
	b.bot.Push("callback_query", []int{1})
	b.bot.Push("a_kind_of_tomorrow", map[string]any{"x": 1})
	ada.Say("two")
	if got := inboxtest.Texts(b.store.Await(t, 2)); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
	b.confirmed(t)
	if log := b.log.String(); strings.Count(log, "cannot be read") != 3 || strings.Contains(log, "secret") {
		t.Errorf("the log should have three lines without content: %s", log)
	}
}

func TestFallingUpdateID(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	b.bot.SetNextUpdate(900_000_000)
	ada.Say("one")
	b.store.Await(t, 1)
	b.confirmed(t)
	b.bot.SetNextUpdate(17)
	ada.SayAll("two", "three")
	b.store.Await(t, 3)
	b.confirmed(t)
	b.stop()
	ada.Say("four")
	b.bot.SetNextUpdate(5)
	ada.Say("five")
	b.start(t, b.options())
	if got := inboxtest.Texts(b.store.Await(t, 5)); !slices.Equal(got, []string{"one", "two", "three", "four", "five"}) {
		t.Errorf("%q", got)
	}
}

func TestRepeatedUpdateKeepsItsID(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	u := ada.Say("one")
	b.store.Await(t, 1)
	b.confirmed(t)
	for range 5 {
		b.bot.Repeat(u)
	}
	b.confirmed(t)
	b.stop()
	b.bot.Repeat(u)
	b.start(t, b.options())
	b.confirmed(t)
	ada.Say("two")
	if got := inboxtest.Texts(b.store.Await(t, 2)); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
}

// TestBotsHaveTheirOwnCursor runs two bots one after the other on one store.
func TestBotsHaveTheirOwnCursor(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.User("Ada")
	b.srv.Private(ada).Say("to the first")
	b.store.Await(t, 1)
	b.confirmed(t)
	b.stop()
	b.bot = b.srv.AddBot("second_bot")
	b.bot.SetNextUpdate(3) // far below the first one's
	b.bot.Private(ada).Say("to the second")
	b.start(t, b.options())
	items := b.store.Await(t, 2)
	b.confirmed(t)
	if items[0].Address.Account == items[1].Address.Account || items[1].Address.Account != b.ch.Account() {
		t.Errorf("%+v", items)
	}
	if len(b.store.Cursors()) != 2 || b.store.Cursors()["telegram/"+b.ch.Account()+"/updates"] != "4" {
		t.Errorf("cursors %v", b.store.Cursors())
	}
}

// TestStoreFailureConfirmsNothing also checks Health meanwhile.
func TestStoreFailureConfirmsNothing(t *testing.T) {
	t.Parallel()
	var b *bench
	var mu sync.Mutex
	var states []channels.HealthState
	unconfirmed := 0
	b = newBench(t, func(_ *telegram.Options, b *bench) {
		b.store.Before = func(_ context.Context, call int, _ []channels.Inbound) error {
			mu.Lock()
			defer mu.Unlock()
			if call > 3 {
				return nil
			}
			states = append(states, b.ch.Health().State)
			unconfirmed = len(b.bot.Unconfirmed())
			return inboxtest.ErrFull
		}
	})
	b.srv.Private(b.srv.User("Ada")).Say("one")
	b.store.Await(t, 1)
	b.confirmed(t)
	mu.Lock()
	defer mu.Unlock()
	if want := []channels.HealthState{channels.HealthOK, channels.HealthDegraded, channels.HealthDegraded}; !slices.Equal(states, want) {
		t.Errorf("health %q, want %q", states, want)
	}
	if unconfirmed != 1 {
		t.Errorf("%d updates were unconfirmed while the store failed", unconfirmed)
	}
	b.healthy(t, channels.HealthOK)
}

// TestFencedPollerReadsThePositionAnew moves the cursor behind the poller's back.
func TestFencedPollerReadsThePositionAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Say("one")
	b.store.Await(t, 1)
	b.confirmed(t)
	b.store.MoveTo("telegram/"+b.ch.Account()+"/updates", "1000")
	ada.Say("two")
	b.store.Await(t, 2)
	b.confirmed(t)
}

// TestFaultsOfTheWire also looks for the token wherever it could have gone.
func TestFaultsOfTheWire(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faketelegram.Fault{
		"HTML 502":         faketelegram.BadGateway(),
		"HTML 200":         {Code: http.StatusOK, Body: "<html>welcome to the hotel</html>"},
		"not an array":     {Code: http.StatusOK, Body: `{"ok":true,"result":{"update_id":1}}`},
		"500":              faketelegram.InternalError(),
		"reset":            {DropBefore: true},
		"reset after":      {DropAfter: true},
		"cut":              {Cut: 20},
		"429":              {Code: http.StatusTooManyRequests, Description: "Too Many Requests: retry after 1", RetryAfter: 1},
		"redirect":         {Code: http.StatusFound, Body: "elsewhere"},
		"refused, in HTML": {Code: http.StatusForbidden, Body: "<html>no</html>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(_ *telegram.Options, b *bench) {
				b.srv.Harm(faketelegram.Rule{Method: "getUpdates", Times: 3, Fault: fault})
				b.srv.Harm(faketelegram.Rule{Method: "getMe", Times: 1, Fault: fault})
			})
			ada := b.srv.Private(b.srv.User("Ada"))
			ada.SayAll("one", "two")
			if got := inboxtest.Texts(b.store.Await(t, 2)); !slices.Equal(got, []string{"one", "two"}) {
				t.Errorf("%q", got)
			}
			b.confirmed(t)
			if !strings.Contains(b.log.String(), "polling is interrupted") {
				t.Error("nothing was logged")
			}
			b.keepsToken(t, b.bot.Token())
		})
	}
}

// TestTokenStaysOutOfErrors covers those that begin before the server.
func TestTokenStaysOutOfErrors(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*telegram.Options){
		"nobody listens":       func(o *telegram.Options) { o.APIURL = "http://127.0.0.1:1" },
		"no such host":         func(o *telegram.Options) { o.APIURL = "http://nowhere.invalid" },
		"not TLS":              func(o *telegram.Options) { o.APIURL = strings.Replace(o.APIURL, "http://", "https://", 1) },
		"no proxy":             func(o *telegram.Options) { o.Proxy = "http://user:proxy-secret@127.0.0.1:1" },
		"another path":         func(o *telegram.Options) { o.APIURL += "/elsewhere" },
		"a path like a format": func(o *telegram.Options) { o.APIURL += "/%25s%25d" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(o *telegram.Options, _ *bench) { change(o) })
			b.log.Until(t, "ailing", func() bool { return b.ch.Health().State != channels.HealthOK })
			b.stop()
			b.keepsToken(t, b.bot.Token())
			if strings.Contains(b.log.String(), "proxy-secret") {
				t.Error("the proxy's password is in the log")
			}
		})
	}
}

func TestRevokedTokenIsSaidAndKeptBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	token := b.bot.Token()
	if err := b.bot.AwaitPolling(inboxtest.Limited(t)); err != nil {
		t.Fatal(err)
	}
	ada := b.srv.Private(b.srv.User("Ada"))
	b.bot.Revoke()
	ada.Say("one") // ends the poll that is under way; the next one is refused
	b.store.Await(t, 1)
	b.healthy(t, channels.HealthAuth)
	b.keepsToken(t, token)
}

// TestPollingTakesTheWebhookAway keeps the updates that wait for it.
func TestPollingTakesTheWebhookAway(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(_ *telegram.Options, b *bench) {
		resp, err := http.PostForm(b.srv.URL()+"/bot"+b.bot.Token()+"/setWebhook", map[string][]string{"url": {"https://nowhere.invalid/"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		b.srv.Private(b.srv.User("Ada")).Say("waiting")
	})
	if got := inboxtest.Texts(b.store.Await(t, 1)); !slices.Equal(got, []string{"waiting"}) {
		t.Errorf("%q", got)
	}
	b.confirmed(t)
	if n := b.srv.Count("deleteWebhook"); n != 1 {
		t.Errorf("deleteWebhook %d times", n)
	}
}

// TestMigrationIsToldBeforeItIsConfirmed also lets the first attempt fail.
func TestMigrationIsToldBeforeItIsConfirmed(t *testing.T) {
	t.Parallel()
	type told struct {
		From, To string
		Stored   []string
	}
	var mu sync.Mutex
	var all []told
	unconfirmed := 0
	b := newBench(t, func(o *telegram.Options, b *bench) {
		o.Moved = func(_ context.Context, from, to channels.Address) error {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, told{from.Chat, to.Chat, inboxtest.Texts(b.store.All())})
			unconfirmed = len(b.bot.Unconfirmed())
			if from.Account != b.ch.Account() || to.Channel != "telegram" {
				t.Errorf("moved from %+v to %+v", from, to)
			}
			if len(all) == 1 {
				return inboxtest.ErrFull
			}
			return nil
		}
	})
	if err := b.bot.AwaitPolling(inboxtest.Limited(t)); err != nil {
		t.Fatal(err)
	}
	old := b.srv.Group("Club", b.srv.User("Ada"))
	old.Say("before")
	moved := old.Migrate()
	moved.Say("after")
	b.store.Await(t, 2)
	b.confirmed(t)
	mu.Lock()
	defer mu.Unlock()
	one := told{strconv.FormatInt(old.ID(), 10), strconv.FormatInt(moved.ID(), 10), []string{"before"}}
	if diff := cmp.Diff([]told{one, one, one}, all); diff != "" { // one failed, and each of the chats tells it
		t.Errorf("-want +got\n%s", diff)
	}
	if unconfirmed == 0 {
		t.Error("the migration was confirmed before it was told")
	}
}

func TestButtonPressIsAnswered(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	said := ada.Say("one")
	u := ada.PressData(said.MessageID, "approve:7")
	items := b.store.Await(t, 2)
	if items[1].Kind != channels.KindButton || items[1].Text != "approve:7" || items[1].MessageID != strconv.FormatInt(said.MessageID, 10) {
		t.Errorf("%+v", items[1])
	}
	b.until(t, "the answer", func() bool { return len(b.srv.Callbacks()) == 1 })
	if got := b.srv.Callbacks()[0].ID; got != u.Callback {
		t.Errorf("answered %q, pressed %q", got, u.Callback)
	}
}

func TestEditsAndTopics(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	club := b.srv.Forum("Club", b.srv.User("Ada"))
	topic := club.Topic("Plans")
	said := topic.Say("first")
	topic.Edit(said.MessageID, "better")
	club.Say("general")
	items := b.store.Await(t, 3)
	thread := strconv.FormatInt(topic.Thread(), 10)
	if items[0].Address.Thread != thread || items[1].Address.Thread != thread || items[2].Address.Thread != "" {
		t.Errorf("%+v", items)
	}
	if items[1].Kind != channels.KindEdit || items[1].MessageID != items[0].MessageID ||
		items[1].ID == items[0].ID || items[1].Text != "better" {
		t.Errorf("edit %+v", items[1])
	}
	if items[0].Quote != "" || items[0].Mentioned {
		t.Errorf("what opens a topic counts as a reply: %+v", items[0])
	}
}

func TestPlaceOfTheBotIsLogged(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ada := b.srv.Private(b.srv.User("Ada"))
	ada.Block()
	ada.Unblock()
	ada.Say("back")
	b.store.Await(t, 1)
	b.confirmed(t)
	for _, want := range []string{"member -> kicked", "kicked -> member"} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("%q is not logged: %s", want, b.log.String())
		}
	}
}
