package linking

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
)

func chat(id string) channels.Address { return channels.Address{Channel: "telegram", Chat: id} }

// codes are those of a gateway in which everybody may speak.
func codes() *Linking {
	return New(Options{Channel: "web", Allowed: func(channels.Address, channels.Sender, bool) bool { return true }})
}

// code asks for one in a direct chat of a person.
func (l *Linking) code(at, person string) string {
	return l.offer(chat(at), channels.Sender{ID: person}, true)
}

// TestCodes: a code is good once, for its time, in any spelling; a chat has its newest one. That
// of a group is good for an owner alone, and stays for one.
func TestCodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := codes()
		old := l.code("1", "ada")
		code := l.code("1", "ada")
		if _, ok := l.take(old, true); ok {
			t.Error("the code before is good")
		}
		if c, ok := l.take(code[:4]+" - "+code[4:], false); !ok || c.at != chat("1") || c.by.ID != "ada" {
			t.Errorf("%+v, %v", c, ok)
		}
		if _, ok := l.take(code, true); ok {
			t.Error("a used code is good")
		}
		group := l.offer(chat("-1"), channels.Sender{ID: "ada"}, false)
		for _, owner := range []bool{false, true} {
			if _, ok := l.take(group, owner); !ok {
				t.Errorf("the code of a group is not known, owner %v", owner)
			}
		}
		if _, ok := l.take(group, true); ok {
			t.Error("the used code of a group is good")
		}
		late := l.code("1", "ada")
		<-time.After(CodeTime)
		if _, ok := l.take(late, true); ok {
			t.Error("a code is good after its time")
		}
		if len(l.codes) != 0 {
			t.Errorf("%d codes are kept", len(l.codes))
		}
	})
}

// TestCodesAreShared: whoever asks in many chats pushes out codes of their own, not those of others.
func TestCodesAreShared(t *testing.T) {
	t.Parallel()
	l := codes()
	first := l.code("1", "ada")
	for i := range 10 * mostPerPerson {
		l.code(fmt.Sprint("b", i), "bo")
	}
	if _, ok := l.take(first, false); !ok || len(l.codes) != mostPerPerson {
		t.Errorf("%v, %d codes", ok, len(l.codes))
	}
	for i := range 2 * mostCodes {
		l.code(fmt.Sprint("c", i), fmt.Sprint(i))
	}
	if len(l.codes) != mostCodes {
		t.Errorf("%d codes", len(l.codes))
	}
}

// memory keeps one link, and does something once it has stored it.
type memory struct {
	session.Links

	link session.Link
	then func()
}

func (m *memory) PutLink(_ context.Context, l session.Link) error {
	m.link = l
	m.then()
	return nil
}

func (m *memory) EndLinks(_ context.Context, over func(*session.Link) bool) ([]session.Link, error) {
	if over(&m.link) {
		m.link = session.Link{}
	}
	return nil, nil
}

func (m *memory) LinkAt(channels.Address) (session.Link, context.Context, bool) {
	return m.link, nil, m.link.ID != ""
}

// TestALinkOfARevokedCaller: a link that is stored while its caller's credential ends does not stay.
func TestALinkOfARevokedCaller(t *testing.T) {
	t.Parallel()
	l, kept := codes(), &memory{then: func() {}}
	l.o.Links, l.o.Note = kept, func(*session.Link, Outcome, string) {}
	ctx, revoke := context.WithCancelCause(t.Context())
	ada := policy.Person{Channel: "web", ID: "ada"}
	if id, err := l.put(ctx, &code{at: chat("1")}, ada); id == "" || err != nil || kept.link.ID != id {
		t.Errorf("%q, %v, stored %+v", id, err, kept.link)
	}
	kept.then = func() { revoke(httpd.ErrRevoked) }
	if id, err := l.put(ctx, &code{at: chat("2")}, ada); id != "" || !errors.Is(err, httpd.ErrRevoked) || kept.link.ID != "" {
		t.Errorf("%q, %v, stored %+v", id, err, kept.link)
	}
}
