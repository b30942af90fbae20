package events_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/events"
)

// grouped is a hub with a group for each first word of a chat.
func grouped() *events.Hub {
	return events.New(events.Options{Group: func(a channels.Address) string {
		group, _, _ := strings.Cut(a.Chat, ".")
		return group
	}})
}

func taken(t *testing.T, w *events.Watch) []string {
	t.Helper()
	all, err := w.Take()
	if err != nil {
		t.Fatal(err)
	}
	chats := []string{}
	for _, a := range all {
		chats = append(chats, a.Chat)
	}
	slices.Sort(chats)
	return chats
}

// TestAWatchTellsOfTheChatsOfItsGroup: once each until it is asked, of beginnings, ends, answers
// and what is stored, not of each piece of a text, and of no chat of another group.
func TestAWatchTellsOfTheChatsOfItsGroup(t *testing.T) {
	t.Parallel()
	h := grouped()
	w := h.Watch("ada")
	want := func(chats ...string) {
		t.Helper()
		if d := cmp.Diff(append([]string{}, chats...), taken(t, w)); d != "" {
			t.Error(d)
		}
	}
	want()
	turn := say(h, "ada.one", "t1")
	say(h, "bob.one", "t2")
	h.Changed(at("ada.two"))
	h.Changed(at("ada.two"))
	h.Changed(at("bob.two"))
	select {
	case <-w.Wake():
	default:
		t.Error("nobody wakes the watch")
	}
	want("ada.one", "ada.two")
	turn.Token("word ")
	h.Tell(at("ada.one"), events.Notice{Code: "x"})
	want()
	h.Tell(at("ada.one"), events.Resolved{ID: "q"})
	want("ada.one")
	w.Close()
	h.Changed(at("ada.one"))
	want()
}

// TestAWatchIsBounded: one that is late is told to begin anew, and others are not.
func TestAWatchIsBounded(t *testing.T) {
	t.Parallel()
	h := grouped()
	late, other := h.Watch("ada"), h.Watch("ada")
	defer late.Close()
	defer other.Close()
	const chats = 400
	for i := range chats {
		h.Changed(at(fmt.Sprint("ada.", i)))
		if got := taken(t, other); len(got) != 1 {
			t.Fatalf("%q", got)
		}
	}
	if _, err := late.Take(); !errors.Is(err, events.ErrReset) {
		t.Error(err)
	}
}

// TestAReaderIsWoken by the watch beside it, and loses no event by that.
func TestAReaderIsWoken(t *testing.T) {
	t.Parallel()
	h := grouped()
	w := h.Watch("ada")
	defer w.Close()
	r, err := h.Follow(at("ada.one"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h.Changed(at("ada.two"))
	if batch, err := r.NextOr(t.Context(), w.Wake()); err != nil || len(batch) != 0 {
		t.Fatal(batch, err)
	}
	h.Changed(at("ada.two"))
	h.Tell(at("ada.one"), events.Notice{Code: "x"})
	if batch, err := r.NextOr(t.Context(), w.Wake()); err != nil || len(batch) != 1 {
		t.Fatal(batch, err)
	}
}
