package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/channels"
	"parley/pkg/session"
)

func link(chat, person string) session.Link {
	return session.Link{
		ID: "link-" + chat + person, Address: channels.Address{Channel: "telegram", Account: "main", Chat: chat}, Person: person,
		By: channels.Sender{ID: chat, Name: "Ada"}, Direct: true, Created: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC),
	}
}

// TestLinks: a chat is on one page at a time; its followers end with its link, at once, and links
// outlive a restart.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := opened(t, dir)
	put := func(l session.Link) {
		t.Helper()
		if err := e.Tokens().PutLink(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	put(link("1", "web:ada"))
	put(link("2", "web:ada"))
	_, first, _ := e.Tokens().LinkAt(link("1", "").Address)
	_, second, _ := e.Tokens().LinkAt(link("2", "").Address)
	put(link("1", "web:bo"))
	if first.Err() == nil || second.Err() != nil {
		t.Errorf("the link that was replaced: %v, the other: %v", first.Err(), second.Err())
	}
	if _, _, ok := e.Tokens().LinkAt(channels.Address{Channel: "telegram", Chat: "1"}); ok {
		t.Error("a chat of another account is linked")
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, dir)
	want := map[string][]session.Link{"web:ada": {link("2", "web:ada")}, "web:bo": {link("1", "web:bo")}, "web:eve": nil}
	for person, links := range want {
		if diff := cmp.Diff(links, e.Tokens().LinksOf(person)); diff != "" {
			t.Errorf("%s: -want +got\n%s", person, diff)
		}
	}
	_, second, _ = e.Tokens().LinkAt(link("2", "").Address)
	ended, err := e.Tokens().EndLinks(t.Context(), func(l *session.Link) bool { return l.Person == "web:ada" })
	if diff := cmp.Diff(want["web:ada"], ended); diff != "" || err != nil || second.Err() == nil {
		t.Errorf("%v, %v\n%s", err, second.Err(), diff)
	}
	if _, _, ok := e.Tokens().LinkAt(link("2", "").Address); ok {
		t.Error("an ended link is found")
	}
}

// TestLinksAreBounded: those of one person leave room for others', and one of the same chat needs none.
func TestLinksAreBounded(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	for i := range session.MaxLinks {
		if err := e.Tokens().PutLink(t.Context(), link(fmt.Sprint(i), "web:ada")); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Tokens().PutLink(t.Context(), link("more", "web:ada")); !errors.Is(err, session.ErrFull) {
		t.Errorf("one more: %v", err)
	}
	for _, l := range []session.Link{link("0", "web:ada"), link("more", "web:bo")} {
		if err := e.Tokens().PutLink(t.Context(), l); err != nil {
			t.Error(err)
		}
	}
}
