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

// TestLinksFollowTheirChats: the link of a chat that moves goes along, and ends the following at the
// former address; it goes with a chat that is forgotten.
func TestLinksFollowTheirChats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := opened(t, dir)
	at := func(chat string) channels.Address { return link(chat, "").Address }
	for _, chat := range []string{"old", "new", "other"} {
		m := message("", chat, "hello")
		m.Address = at(chat)
		put(t, e, m)
	}
	show := func(l session.Link) {
		t.Helper()
		if err := e.Tokens().PutLink(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	kept, replaced := link("old", "web:ada"), link("new", "web:bo")
	show(kept)
	show(replaced)
	show(link("other", "web:ada"))
	_, atOld, _ := e.Tokens().LinkAt(at("old"))
	_, atNew, _ := e.Tokens().LinkAt(at("new"))
	for range 2 { // both updates about a migrated group tell of it
		if err := e.Chats().Move(t.Context(), at("old"), at("new")); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, ok := e.Tokens().LinkAt(at("old")); ok || atOld.Err() == nil || atNew.Err() == nil {
		t.Errorf("the former address: linked %v, following ended %v, that of the replaced one %v", ok, atOld.Err() != nil, atNew.Err() != nil)
	}
	kept.Address = at("new")
	if l, valid, ok := e.Tokens().LinkAt(at("new")); !ok || cmp.Diff(kept, l) != "" || valid.Err() != nil {
		t.Errorf("the chat that moved: %+v, %v", l, ok)
	}
	info, err := e.Sessions().Lookup(t.Context(), at("new"))
	if err == nil {
		err = e.Sessions().Forget(t.Context(), info.Session)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := e.Tokens().LinkAt(at("new")); ok {
		t.Error("the link of a forgotten chat is found")
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, dir)
	if diff := cmp.Diff([]session.Link{link("other", "web:ada")}, e.Tokens().LinksOf("web:ada")); diff != "" {
		t.Errorf("after a restart: -want +got\n%s", diff)
	}
}
