package linking

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

func chat(id string) channels.Address { return channels.Address{Channel: "telegram", Chat: id} }

// code asks for one in a direct chat of a person.
func (l *Linking) code(at, person string) string {
	return l.offer(chat(at), channels.Sender{ID: person}, true)
}

// TestCodes: a code is good once, for its time, in any spelling; a chat has its newest one. That
// of a group is good for an owner alone, and stays for one.
func TestCodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New("web", nil, zerolog.Nop())
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
	l := New("web", nil, zerolog.Nop())
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
