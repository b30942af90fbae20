package events_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/events"
)

func at(chat string) channels.Address { return channels.Address{Channel: "web", Chat: chat} }

// line is an event in one line, without its id.
func line(e *events.Event) string { return strings.TrimSpace(fmt.Sprintf("%s %v", e.Name(), e.Data)) }

// drain reads all events that are there.
func drain(t *testing.T, h *events.Hub, chat, after string) (lines, ids []string) {
	t.Helper()
	r, err := h.Follow(at(chat), after)
	if err != nil {
		t.Fatalf("follow after %q: %v", after, err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	h.Tell(at(chat), events.Notice{Code: "end of test"})
	defer cancel()
	for {
		batch, err := r.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch {
			if batch[i].Data == (events.Notice{Code: "end of test"}) {
				return lines, ids
			}
			lines, ids = append(lines, line(&batch[i])), append(ids, batch[i].ID)
		}
	}
}

// say tells a turn with tokens.
func say(h *events.Hub, chat, id string, tokens ...string) *events.Turn {
	turn := h.Begin(at(chat), events.TurnBegun{Turn: id, Chat: chat})
	for _, s := range tokens {
		turn.Token(s)
	}
	return turn
}

// TestAReaderComesBack after each event, and gets the rest without a gap or a repeat.
func TestAReaderComesBack(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{})
	before := h.Mark(at("1"))
	turn := say(h, "1", "t1", "a", "b", "c")
	turn.Answered()
	turn.Done(events.Done{Turn: "t1", Text: "abc"}, "")
	all, ids := drain(t, h, "1", before)
	want := []string{"turn {t1 1   []}", "token {a}", "token {b}", "token {c}", "done {t1 abc {0 0} 0 }"}
	if d := cmp.Diff(want, all); d != "" {
		t.Fatal(d)
	}
	for i := range ids {
		rest, _ := drain(t, h, "1", ids[i])
		if d := cmp.Diff(want[i+1:], withoutEnd(rest)); d != "" {
			t.Errorf("after %s: %s", want[i], d)
		}
	}
}

func withoutEnd(lines []string) []string {
	out := []string{}
	for _, l := range lines {
		if !strings.Contains(l, "end of test") {
			out = append(out, l)
		}
	}
	return out
}

// TestIDsThatCannotBeServed are answered with a reset.
func TestIDsThatCannotBeServed(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{})
	turn := say(h, "1", "t1", "a")
	first := h.Mark(at("1"))
	epoch, _, _ := strings.Cut(first, "-")
	for range 20 {
		turn.Token(strings.Repeat("long ", 20_000))
	}
	for name, id := range map[string]string{
		"of another process":  "zzz-1",
		"not an id":           "yesterday",
		"of the future":       epoch + "-999999",
		"of a dropped event":  first,
		"with a sign":         epoch + "--1",
		"empty behind a dash": epoch + "-",
	} {
		if _, err := h.Follow(at("1"), id); !errors.Is(err, events.ErrReset) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.Follow(at("1"), ""); err != nil {
		t.Errorf("without an id: %v", err)
	}
}

// TestASlowReaderIsClosed, and the turn does not wait for it.
func TestASlowReaderIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := events.New(events.Options{})
		r, err := h.Follow(at("1"), "")
		if err != nil {
			t.Fatal(err)
		}
		turn := say(h, "1", "t1")
		for range 30 { // three times the bound
			turn.Token(strings.Repeat("x", 100_000))
		}
		turn.Done(events.Done{Turn: "t1"}, "")
		if _, err := r.Next(t.Context()); !errors.Is(err, events.ErrReset) {
			t.Errorf("the reader goes on: %v", err)
		}
		r.Close()
		<-time.After(10 * time.Minute) // its events are dropped
	})
}

// TestAReaderWaits for the next event, and until its context ends.
func TestAReaderWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := events.New(events.Options{})
		r, err := h.Follow(at("1"), "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan string, 1)
		go func() {
			batch, err := r.Next(ctx)
			if err != nil || len(batch) != 1 {
				got <- fmt.Sprint(len(batch), " ", err)
				return
			}
			got <- line(&batch[0])
		}()
		synctest.Wait()
		h.Tell(at("2"), events.Notice{Code: "elsewhere"})
		h.Tell(at("1"), events.Notice{Code: "here"})
		if got := <-got; got != "notice {here }" {
			t.Error(got)
		}
		cancel()
		if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		r.Close()
		<-time.After(time.Hour)
	})
}

// TestDoneFollowsTheLastMessage of its turn, whichever is first.
func TestDoneFollowsTheLastMessage(t *testing.T) {
	t.Parallel()
	done, message := events.Done{Turn: "t1"}, events.Message{ID: "m", Text: "hi"}
	for name, tell := range map[string]func(h *events.Hub, turn *events.Turn){
		"the turn ends first": func(h *events.Hub, turn *events.Turn) {
			turn.Done(done, "m")
			h.Delivered(at("1"), "m", message)
		},
		"the message is faster": func(h *events.Hub, turn *events.Turn) {
			h.Delivered(at("1"), "m", message)
			turn.Done(done, "m")
		},
		"another message is between": func(h *events.Hub, turn *events.Turn) {
			turn.Done(done, "m")
			h.Delivered(at("1"), "other", message)
			h.Delivered(at("1"), "m", message)
		},
	} {
		h := events.New(events.Options{})
		before := h.Mark(at("1"))
		tell(h, say(h, "1", "t1", "hi"))
		lines, _ := drain(t, h, "1", before)
		where := map[string]int{}
		for i, l := range lines {
			word, _, _ := strings.Cut(l, " ")
			where[word] = i
		}
		if where["done"] != len(lines)-1 || where["message"] != len(lines)-2 {
			t.Errorf("%s: %q", name, lines)
		}
	}
}

// TestANewReaderSeesTheRunningTurn from its beginning, and no event of one that is over.
func TestANewReaderSeesTheRunningTurn(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{})
	say(h, "1", "t1", "old").Done(events.Done{Turn: "t1"}, "")
	turn := say(h, "1", "t2", "new")
	for _, after := range []string{"", h.Mark(at("1"))} {
		lines, _ := drain(t, h, "1", after)
		if d := cmp.Diff([]string{"turn {t2 1   []}", "token {new}"}, withoutEnd(lines)); d != "" {
			t.Errorf("after %q: %s", after, d)
		}
	}
	turn.Done(events.Done{Turn: "t2"}, "")
	if lines, _ := drain(t, h, "1", ""); len(withoutEnd(lines)) > 0 {
		t.Errorf("a turn that is over is shown again: %q", lines)
	}
}

// TestChatsAreDropped when they are idle. An id from before is then answered with a reset,
// and the id of a chat without an event since then is served.
func TestChatsAreDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := events.New(events.Options{})
		before := h.Mark(at("1"))
		say(h, "1", "t1", "a").Done(events.Done{Turn: "t1"}, "")
		after := h.Mark(at("1"))
		running := say(h, "2", "t2", "b")
		<-time.After(time.Hour)
		if _, err := h.Follow(at("1"), before); !errors.Is(err, events.ErrReset) {
			t.Errorf("the events of an hour ago are there: %v", err)
		}
		if r, err := h.Follow(at("1"), after); err != nil {
			t.Errorf("nothing happened since: %v", err)
		} else {
			r.Close()
		}
		r, err := h.Follow(at("2"), "")
		if err != nil {
			t.Fatal(err)
		}
		if batch, err := r.Next(t.Context()); err != nil || len(batch) != 2 {
			t.Errorf("the running turn has %d events, %v", len(batch), err)
		}
		r.Close()
		running.Done(events.Done{Turn: "t2"}, "")
		<-time.After(time.Hour)
	})
}

// TestLookingCostsNothing: ids and chats that readers make up leave no entry behind.
func TestLookingCostsNothing(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{})
	look := func() {
		for i := range 1000 {
			if _, err := h.Follow(at(fmt.Sprint("made up ", i)), "nonsense"); !errors.Is(err, events.ErrReset) {
				t.Fatal(err)
			}
			r, err := h.Follow(at(fmt.Sprint("another ", i)), "")
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
		}
	}
	look()
	if n := h.Chats(); n > 0 {
		t.Errorf("%d chats are kept", n)
	}
}

// TestAllChatsTogetherAreBounded: the idle ones give way first, and a chat at work keeps a
// little.
func TestAllChatsTogetherAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := events.New(events.Options{})
		before := h.Mark(at("0"))
		long := strings.Repeat("x", 10_000)
		for i := range 200 { // 200 chats of 1 MB in a hub of 32 MB
			turn := say(h, fmt.Sprint(i), "t")
			for range 120 {
				turn.Token(long)
			}
			turn.Done(events.Done{Turn: "t"}, "")
		}
		if _, err := h.Follow(at("0"), before); !errors.Is(err, events.ErrReset) {
			t.Errorf("the oldest chat is still there: %v", err)
		}
		if size := h.Size(); size > events.MaxAll+100_000 {
			t.Errorf("all chats together have %d bytes", size)
		}
		if lines, _ := drain(t, h, "199", ""); len(withoutEnd(lines)) != 0 {
			t.Errorf("%d events", len(lines))
		}
		<-time.After(time.Hour)
	})
}

// TestManyTurnsAndReaders: each reader sees each event of its chat once, in order.
func TestManyTurnsAndReaders(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{})
	var wg sync.WaitGroup
	for chat := range 8 {
		for range 3 {
			r, err := h.Follow(at(fmt.Sprint(chat)), "")
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				defer r.Close()
				next := 0
				for {
					batch, err := r.Next(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					for i := range batch {
						switch d := batch[i].Data.(type) {
						case events.Token:
							if d.Text != fmt.Sprint(chat, "/", next, " ") {
								t.Errorf("chat %d reads %q, want %d", chat, d.Text, next)
								return
							}
							next++
						case events.Done:
							if next != 500 {
								t.Errorf("%d of 500 tokens", next)
							}
							return
						}
					}
				}
			})
		}
		wg.Go(func() {
			turn := say(h, fmt.Sprint(chat), "t")
			for i := range 500 {
				turn.Token(fmt.Sprint(chat, "/", i, " "))
			}
			turn.Done(events.Done{}, "")
		})
	}
	wg.Wait()
}

// TestWithoutAHub no event is told.
func TestWithoutAHub(t *testing.T) {
	t.Parallel()
	var h *events.Hub
	turn := h.Begin(at("1"), events.TurnBegun{})
	turn.Token("a")
	turn.Reasoning("a")
	turn.CallDelta("c", "look", "{}")
	turn.Answered()
	turn.Restart()
	turn.Progress("c", "a")
	turn.Asked("c")
	turn.Result(events.Result{})
	turn.Tell(events.Notice{})
	turn.Abandon()
	turn.Done(events.Done{}, "")
	h.Tell(at("1"), events.Notice{})
	h.Delivered(at("1"), "m", events.Message{})
	if turn != nil {
		t.Error("a turn without a hub")
	}
}

// TestTheWordsOfATurnAreRedacted: a person may paste a secret.
func TestTheWordsOfATurnAreRedacted(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }})
	defer h.Begin(at("1"), events.TurnBegun{Turn: "t1", Text: "my secret"}).Abandon()
	r, err := h.Follow(at("1"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	batch, err := r.Next(t.Context())
	if err != nil || len(batch) != 1 {
		t.Fatal(batch, err)
	}
	if begun, ok := batch[0].Data.(events.TurnBegun); !ok || begun.Text != "my [redacted]" {
		t.Errorf("%+v", batch[0].Data)
	}
}

// TestALargeMessageStaysUntilItIsStored: a reader that missed events reads the chat from the store, and
// the list names the messages that the store does not have yet.
func TestALargeMessageStaysUntilItIsStored(t *testing.T) {
	t.Parallel()
	h := events.New(events.Options{})
	turn := say(h, "a", "turn-1", "long")
	turn.Done(events.Done{Turn: "turn-1"}, "turn-1/final/0")
	h.Delivered(at("a"), "turn-1/final/0", events.Message{ID: "turn-1/final/0", Text: strings.Repeat("long ", 1<<20)})
	if all := h.Messages(at("a")); len(all) != 1 || len(all[0].Text) != 5<<20 {
		t.Errorf("the list has %d messages", len(all))
	}
}
