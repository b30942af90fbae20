package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/session/engine/table"
	"parley/pkg/session/kv"
	"parley/pkg/session/local"
)

// tell stores a fact that a chat was told.
func tell(t *testing.T, e *local.Engine, chat, person, text, call string) session.Fact {
	t.Helper()
	f, err := local.Facts(e).Remember(t.Context(), session.Fact{
		Chat: chat, Person: person, Text: text, By: channels.Sender{ID: "7", Name: "Ada"}, Item: "item", Call: call, Outside: text == "page",
	}, "")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

// told are the facts of a scope.
func told(t *testing.T, e *local.Engine, chat, person string) []string {
	t.Helper()
	all, err := local.Facts(e).Facts(t.Context(), session.FactScope{Chat: chat, Person: person})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{}
	for i := range all {
		texts = append(texts, all[i].Text)
	}
	return texts
}

// TestFacts are those of their chat or of their person, each stored once; they outlive a crash, move with
// their chat and go with it.
func TestFacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	put(t, e, message("a", "1", "x"), message("b", "2", "x"), message("c", "3", "x"))
	chat := func(name string) string {
		t.Helper()
		info, err := e.Sessions().Lookup(t.Context(), message(name, "", "").Address)
		if err != nil {
			t.Fatal(err)
		}
		return info.Chat
	}
	a, b := chat("a"), chat("b")
	first := tell(t, e, a, "", "here", "turn/1")
	if again := tell(t, e, a, "", "other words", "turn/1"); again.ID != first.ID || again.Text != "here" {
		t.Errorf("a call that runs again stores %+v", again)
	}
	if again := tell(t, e, a, "", "here", "turn/2"); again.ID != first.ID {
		t.Errorf("the same text is stored as %+v", again)
	}
	mine := tell(t, e, a, "ann", "everywhere", "turn/3")
	tell(t, e, b, "ann", "from b", "turn/4")
	tell(t, e, b, "bo", "of bo", "turn/5")
	tell(t, e, b, "", "page", "turn/6")
	check := func(step string, want map[string][]string) {
		t.Helper()
		for scope, texts := range want {
			name, person, _ := strings.Cut(scope, " ")
			if got := told(t, e, chat(name), person); !slices.Equal(got, texts) {
				t.Errorf("%s: %s has %q, not %q", step, scope, got, texts)
			}
		}
	}
	all := map[string][]string{
		"a": {"here"}, "a ann": {"here", "everywhere", "from b"}, "c ann": {"everywhere", "from b"}, "c bo": {"of bo"}, "b": {"page"}, "c": {},
	}
	check("at first", all)
	e.Crash()
	e = opened(t, dir)
	check("after a crash", all)
	facts, err := local.Facts(e).Facts(t.Context(), session.FactScope{Chat: b})
	if err != nil || len(facts) != 1 || !facts[0].Outside || facts[0].Time.IsZero() || facts[0].By.Name != "Ada" || facts[0].Item != "item" {
		t.Errorf("the fact of a page is %+v", facts)
	}
	for _, s := range []session.FactScope{{Chat: a}, {Chat: b, Person: "bo"}} {
		if err := local.Facts(e).ForgetFact(t.Context(), s, mine.ID); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%+v removes the fact of another: %v", s, err)
		}
	}
	if _, err := local.Facts(e).Remember(t.Context(), session.Fact{Chat: b, Person: "ann", Text: "new"}, mine.ID); err != nil {
		t.Error(err)
	}
	check("with one in the place of another", map[string][]string{"a ann": {"here", "from b", "new"}})
	if err := e.Chats().Move(t.Context(), message("b", "", "").Address, message("c", "", "").Address); err != nil {
		t.Fatal(err)
	}
	check("after a move", map[string][]string{"c ann": {"from b", "page", "new"}, "c bo": {"of bo", "page"}})
	info, err := e.Sessions().Lookup(t.Context(), message("c", "", "").Address)
	if err == nil {
		err = e.Sessions().Forget(t.Context(), info.Session)
	}
	if err != nil {
		t.Fatal(err)
	}
	check("after it is forgotten", map[string][]string{"a ann": {"here"}, "a bo": {"here"}})
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	checkStore(t, dir)
}

// TestFactsHaveABound, by number and by size; another chat's are not counted.
func TestFactsHaveABound(t *testing.T) {
	t.Parallel()
	e := opened(t, t.TempDir())
	put(t, e, message("a", "1", "x"), message("b", "2", "x"))
	info, err := e.Sessions().Lookup(t.Context(), message("a", "", "").Address)
	other, err2 := e.Sessions().Lookup(t.Context(), message("b", "", "").Address)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	full := func(text string) bool {
		t.Helper()
		_, err := local.Facts(e).Remember(t.Context(), session.Fact{Chat: info.Chat, Text: text}, "")
		return errors.Is(err, session.ErrFull)
	}
	tell(t, e, info.Chat, "ann", strings.Repeat("x", session.MaxFactBytes-1), "")
	for i := range session.MaxFacts {
		if full(fmt.Sprint("fact ", i)) {
			t.Fatalf("there is no room for fact %d", i)
		}
	}
	if !full("one more") {
		t.Error("a chat has more facts than it may")
	}
	more := session.Fact{Chat: other.Chat, Person: "ann", Text: "xx"}
	if _, err := local.Facts(e).Remember(t.Context(), more, ""); !errors.Is(err, session.ErrFull) {
		t.Errorf("a person has more than they may: %v", err)
	}
	tell(t, e, other.Chat, "", "room here", "")
	if _, err := local.Facts(e).Remember(t.Context(), session.Fact{Chat: "c0", Text: "nowhere"}, ""); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("in a chat that there is not: %v", err)
	}
}

// TestAFactInThePlaceOfAnother: that one goes also where the same fact is stored already, once.
func TestAFactInThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	put(t, e, message("a", "1", "x"))
	info, err := e.Sessions().Lookup(t.Context(), message("a", "", "").Address)
	must(t, err)
	same := tell(t, e, info.Chat, "", "the same", "turn/1")
	old := tell(t, e, info.Chat, "", "the old one", "turn/2")
	for range 2 { // the call runs again after a crash
		f, err := local.Facts(e).Remember(t.Context(), session.Fact{Chat: info.Chat, Text: "the same", Call: "turn/3"}, old.ID)
		if err != nil || f.ID != same.ID {
			t.Errorf("it is stored as %+v: %v", f, err)
		}
		if got := told(t, e, info.Chat, ""); !slices.Equal(got, []string{"the same"}) {
			t.Errorf("the chat has %q", got)
		}
	}
}

// TestADamagedFactIsForgotten with its chat, also with that of which it became a part: no byte of it is left.
func TestADamagedFactIsForgotten(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string]bool{"alone": false, "merged": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			e := opened(t, dir)
			put(t, e, message("a", "1", "x"), message("b", "2", "x"))
			info, err := e.Sessions().Lookup(t.Context(), message("a", "", "").Address)
			must(t, err)
			tell(t, e, info.Chat, "", forgottenWord, "turn/1")
			must(t, e.Close())
			withStore(t, dir, func(s kv.Store) error {
				return s.Update(func(k kv.Tx) error {
					key, v := k.Cursor(table.Facts).Seek(nil)
					key, v = bytes.Clone(key), bytes.Clone(v)
					v[0] ^= 1
					return k.Put(table.Facts, key, v)
				})
			})
			e = opened(t, dir)
			if moves {
				must(t, e.Chats().Move(t.Context(), message("b", "", "").Address, message("a", "", "").Address))
			}
			info, err = e.Sessions().Lookup(t.Context(), message("a", "", "").Address)
			must(t, err)
			must(t, local.ForgetterOf(e).Forget(t.Context(), info.Chat, ""))
			must(t, e.Close())
			withStore(t, dir, func(s kv.Store) error {
				return s.View(func(k kv.Reader) error {
					for _, b := range []table.Bucket{table.Facts, table.Bad} {
						if key, v := k.Cursor(b).Seek(nil); key != nil {
							t.Errorf("%s has %x: %q", b, key, v)
						}
					}
					return nil
				})
			})
		})
	}
}
