package events_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/events"
)

// TestForgottenEvents: a reader of a chat that is forgotten, one that comes back and one that comes later see
// none of its events and read the chat anew; those of another chat go on.
func TestForgottenEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := events.New(events.Options{})
		readers := map[string]*events.Reader{}
		for _, name := range []string{"1", "2"} {
			r, err := h.Follow(at(name), "")
			if err != nil {
				t.Fatal(err)
			}
			readers[name] = r
			say(h, name, "t"+name).Done(events.Done{Turn: "t" + name}, "")
		}
		if _, err := readers["1"].Next(t.Context()); err != nil { // it has all events
			t.Fatal(err)
		}
		before := h.Mark(at("1"))
		events.Forget(h, at("1"))
		events.Forget(h, at("none"))
		if _, err := readers["1"].Next(t.Context()); !errors.Is(err, events.ErrReset) {
			t.Errorf("the reader of the forgotten chat: %v", err)
		}
		if _, err := h.Follow(at("1"), before); !errors.Is(err, events.ErrReset) {
			t.Errorf("one that comes back: %v", err)
		}
		if all := h.Messages(at("1")); len(all) > 0 {
			t.Errorf("the hub has %v", all)
		}
		if batch, err := readers["2"].Next(t.Context()); err != nil || len(batch) == 0 {
			t.Errorf("the reader of the other chat: %v, %v", batch, err)
		}
		for _, r := range readers {
			r.Close()
		}
		<-time.After(10 * time.Minute) // the rest is dropped
		if h.Size() != 0 || h.Chats() != 0 {
			t.Errorf("%d bytes of %d chats are left", h.Size(), h.Chats())
		}
	})
}
