package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/history"
	"parley/pkg/providers"
	"parley/pkg/session"
)

// TestSearch finds the words of people, of the model, of results and of calls, in their other forms too;
// an entry need not have all words, and the one with most of them comes first.
func TestSearch(t *testing.T) {
	t.Parallel()
	said := func(role, name, text string, calls ...providers.ToolCall) *session.Entry {
		return &session.Entry{Message: providers.Message{Role: role, Name: name, Content: text, ToolCalls: calls}}
	}
	s := with("c1/s1")
	s.add("s1",
		said("user", "", "Ann: The cabins at the lake cost 417 francs a week"),
		said("assistant", "", "I will look", providers.ToolCall{Name: "web_fetch", RawArguments: `{"url":"lodge.example"}`}),
		said("tool", "web_fetch", "a page about a boat"),
		&session.Entry{Summary: true, Message: providers.Message{Role: "user", Content: "They spoke of a holiday"}},
		said("assistant", "", "", providers.ToolCall{Name: history.SearchName, RawArguments: `{"query":"tortoise"}`}),
		said("tool", history.SearchName, `{"entries":[{"text":"tortoise"}]}`),
		said("tool", "search_conversation", `{"entries":[{"text":"tortoise"}]}`),
		said("user", "", "Das Haus kostet viel Ärger"),
		said("user", "", "来週の会議は東京です"),
	)
	h := opened(t, s, t.TempDir())
	for words, want := range map[string][]string{
		"cabin":                   {"s1/1"},
		"what did the CABIN cost": {"s1/1"},
		"lodge.example":           {"s1/2"},
		"boats":                   {"s1/3"},
		"holidays":                {"s1/4"},
		"tortoise":                {},
		"ärger häuser":            {"s1/8"},
		"東京":                      {"s1/9"},
		"京":                       {"s1/9"},
		"cabin boat lake":         {"s1/1", "s1/3"},
	} {
		if d := cmp.Diff(want, names(t, h, "s1", words)); d != "" {
			t.Errorf("%q (-want +got): %s", words, d)
		}
	}
}

// TestAPieceHasTheWords: a hit shows the part of a long entry that was found.
func TestAPieceHasTheWords(t *testing.T) {
	t.Parallel()
	s := with("c1/s1")
	for i := range 40 {
		filler := strings.Repeat("é filler\n", i*40)
		s.say("s1", filler+fmt.Sprintf("the needle %d is here ", i)+filler)
	}
	h := opened(t, s, t.TempDir())
	for i := range 40 {
		found := search(t, h, "s1", fmt.Sprintf("needle %d", i))
		at := slices.IndexFunc(found.Hits, func(hit history.Hit) bool { return hit.Entry.Seq == uint64(i+1) })
		if at < 0 || !strings.Contains(found.Hits[at].Piece, fmt.Sprintf("the needle %d is here", i)) || len(found.Hits[at].Piece) > 820 {
			t.Errorf("%d: %+v", i, found.Hits)
		}
	}
}

// TestChatsAreSeparate: forty chats with words of their own find these alone, and read no entry of another.
func TestChatsAreSeparate(t *testing.T) {
	t.Parallel()
	s := with()
	for i := range 40 {
		id := fmt.Sprintf("s%d", i)
		s.sessions[id] = &conversation{chat: fmt.Sprintf("c%d", i), current: true}
		s.say(id, fmt.Sprintf("my secret is canary%d, and I like tea", i))
	}
	h := opened(t, s, t.TempDir())
	for i := range 40 {
		id := fmt.Sprintf("s%d", i)
		if got := names(t, h, id, "tea secret canary1 canary2 canary3"); !slices.Equal(got, []string{id + "/1"}) {
			t.Errorf("%s finds %q", id, got)
		}
		other := history.Name(fmt.Sprintf("s%d", (i+1)%40), 1)
		if _, err := h.Entry(t.Context(), id, other); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%s reads %s: %v", id, other, err)
		}
		if hit, err := h.Entry(t.Context(), id, id+"/1"); err != nil || !strings.Contains(hit.Piece, fmt.Sprintf("canary%d,", i)) {
			t.Errorf("%s reads %+v, %v", id, hit, err)
		}
	}
}

// TestConversationsLeftBehind are found, by the chat that has them now.
func TestConversationsLeftBehind(t *testing.T) {
	t.Parallel()
	s := with("c1/s3", "c1/s1", "c1/s2", "c2/s4")
	s.say("s1", "the zebra of the first")
	s.say("s2", "the zebra of the second")
	s.say("s3", "here is nothing")
	s.say("s4", "a llama")
	h := opened(t, s, t.TempDir())
	got := names(t, h, "s3", "zebra")
	slices.Sort(got)
	if d := cmp.Diff([]string{"s1/1", "s2/1"}, got); d != "" {
		t.Error(d)
	}
	s.sessions["s2"].chat = "c2" // its chat became another one
	if got := names(t, h, "s3", "zebra"); !slices.Equal(got, []string{"s1/1"}) {
		t.Errorf("the chat that lost it finds %q", got)
	}
	if got := names(t, h, "s4", "zebra"); !slices.Equal(got, []string{"s2/1"}) {
		t.Errorf("the chat that has it finds %q", got)
	}
}

// TestItCatchesUp with what was said since, over a restart, and after the loss of the file.
func TestItCatchesUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "index", "history")
	s := with("c1/s1")
	var want []string
	h := opened(t, s, dir)
	for i, harm := range []func(){
		func() {},
		func() {},
		func() { s.say("s1", slices.Repeat([]string{"hay"}, 1200)...) },
		func() { _ = h.Close(); h = opened(t, s, dir) },
		func() { _ = h.Close(); _ = os.Remove(file); h = opened(t, s, dir) },
		func() { _ = h.Close(); _ = os.WriteFile(file, []byte("junk"), 0o600); h = opened(t, s, dir) },
		func() { spoil(t, file) },
		func() {
			if err := h.Rebuild(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		harm()
		s.say("s1", fmt.Sprintf("a needle, number %d", i))
		want = append(want, history.Name("s1", uint64(len(s.sessions["s1"].all))))
		got := names(t, h, "s1", "needle")
		slices.Sort(got)
		if w := slices.Sorted(slices.Values(want)); !slices.Equal(w, got) {
			t.Errorf("step %d finds %q, not %q", i, got, w)
		}
	}
	before := s.read
	search(t, h, "s1", "needle")
	if n := s.read - before; n > 20 {
		t.Errorf("a search without news reads %d entries", n)
	}
}

// spoil writes over the middle of a file that is in use.
func spoil(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.WriteAt(bytes.Repeat([]byte("x"), int(info.Size()-300)), 200)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestARestoredStore has other entries by the names of those that are indexed: only what is there now
// is found.
func TestARestoredStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := with("c1/s1")
	s.say("s1", "one", "the zebra", "three")
	h := opened(t, s, dir)
	if got := names(t, h, "s1", "zebra"); len(got) != 1 {
		t.Fatalf("found %q", got)
	}
	for i, after := range [][]string{{"a llama", "two", "three"}, {"a llama"}, {"a llama", "two", "three", "four"}} {
		s.sessions["s1"].all = nil
		s.say("s1", after...)
		for _, e := range s.sessions["s1"].all {
			e.Time = e.Time.Add(time.Duration(i+1) * time.Hour)
		}
		if got := names(t, h, "s1", "zebra"); len(got) > 0 {
			t.Errorf("restore %d: it finds %q", i, got)
		}
		if got := names(t, h, "s1", "llama"); !slices.Equal(got, []string{"s1/1"}) {
			t.Errorf("restore %d: it finds %q", i, got)
		}
	}
}

// TestWhatWasTakenOut is neither found nor read, whether it was indexed before or not.
func TestWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	s := with("c1/s1")
	s.say("s1", "the cabin costs 417", "the cabin is gone")
	for range 100 {
		s.say("s1", "cabin")
	}
	s.sessions["s1"].all[0].Undone = true
	h := opened(t, s, t.TempDir())
	search(t, h, "s1", "cabin")
	for _, e := range s.sessions["s1"].all[2:] {
		e.Undone = true
	}
	if got := names(t, h, "s1", "cabin"); !slices.Equal(got, []string{"s1/2"}) {
		t.Errorf("found %q", got)
	}
	if _, err := h.Entry(t.Context(), "s1", "s1/1"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("it is read: %v", err)
	}
}

// TestDamage: entries that cannot be read are counted, those that were read before too.
func TestDamage(t *testing.T) {
	t.Parallel()
	s := with("c1/s1", "c1/s0")
	s.say("s1", "word")
	s.add("s1", nil, nil)
	s.say("s1", "word")
	s.add("s1", nil)
	s.say("s0", "word")
	s.add("s0", nil)
	h := opened(t, s, t.TempDir())
	if found := search(t, h, "s1", "word"); len(found.Hits) != 3 || found.Unread != 4 {
		t.Errorf("found %d, unread %d", len(found.Hits), found.Unread)
	}
	s.sessions["s1"].all[0] = nil
	if got := names(t, h, "s1", "word"); len(got) != 2 {
		t.Errorf("found %q", got)
	}
	if _, err := h.Entry(t.Context(), "s1", "s1/2"); !errors.Is(err, session.ErrCorrupt) {
		t.Errorf("a damaged one: %v", err)
	}
}

// TestASecretIsNeitherFoundNorShown, nor is it in the file; a secret that became one later is not shown
// and not found either.
func TestASecretIsNeitherFoundNorShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := with("c1/s1")
	s.say("s1", "the password is hunter22 since May")
	h := opened(t, s, dir)
	if got := names(t, h, "s1", "hunter22"); len(got) > 0 {
		t.Errorf("found %q", got)
	}
	if found := search(t, h, "s1", "password"); len(found.Hits) != 1 || strings.Contains(found.Hits[0].Piece, "hunter22") {
		t.Errorf("found %+v", found)
	}
	if holds(t, dir, "hunter22") {
		t.Error("the file has the secret")
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	later := history.New(history.Options{
		Path: filepath.Join(dir, "index", "history"), Store: s,
		Redact: func(s string) string { return strings.ReplaceAll(s, "May", "[redacted]") },
	})
	t.Cleanup(func() { _ = later.Close() })
	if got := names(t, later, "s1", "may"); len(got) > 0 {
		t.Errorf("found %q", got)
	}
}

// holds says whether the file of the index has a word.
func holds(t *testing.T, dir, word string) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "index", "history"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(b, []byte(word))
}

// TestForget: no byte of the file has a word of what the store has forgotten, and the others are found
// as before.
func TestForget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := with("c1/s1", "c2/s2", "c3/s3", "c3/s4")
	h := opened(t, s, dir)
	if err := h.Forget(t.Context(), "c1"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "index")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("forgetting made a folder: %v", err)
	}
	words := map[string]string{"s1": "xyloqonq", "s2": "quagmirq", "s3": "juxtaposq", "s4": "wizardrq"}
	for id, word := range words {
		s.say(id, word)
	}
	finds := func(id, word string) bool { return len(names(t, h, id, word)) == 1 }
	for _, id := range []string{"s1", "s2", "s3"} {
		if !finds(id, words[id]) || !holds(t, dir, words[id]) {
			t.Fatalf("%s: its word is not there", id)
		}
	}
	delete(s.sessions, "s1") // forgotten as a chat
	delete(s.sessions, "s4") // forgotten as a conversation that was left behind
	if err := h.Forget(t.Context(), "c1"); err != nil {
		t.Error(err)
	}
	for id, word := range words {
		if got, want := holds(t, dir, word), id == "s2"; got != want {
			t.Errorf("the file has %s: %v", word, got)
		}
	}
	if !finds("s2", words["s2"]) || !finds("s3", words["s3"]) {
		t.Error("another chat lost its words")
	}
}

// TestWhatTheStoreForgetsByItself is gone with the first search after an hour.
func TestWhatTheStoreForgetsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := with("c1/s1", "c2/s2")
		s.say("s1", "xyloqonq")
		s.say("s2", "quagmirq")
		h := opened(t, s, dir)
		search(t, h, "s1", "xyloqonq")
		delete(s.sessions, "s1")
		<-time.After(59 * time.Minute)
		search(t, h, "s2", "quagmirq")
		if !holds(t, dir, "xyloqonq") {
			t.Error("it looked early")
		}
		<-time.After(2 * time.Minute)
		search(t, h, "s2", "quagmirq")
		if holds(t, dir, "xyloqonq") {
			t.Error("the file still has the word")
		}
	})
}

// TestBounds: a search ends after a time, says so, and the next one goes on.
func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := with("c1/s1")
		s.say("s1", slices.Repeat([]string{"hay"}, 6000)...)
		s.say("s1", "needle")
		s.slow = 100 * time.Millisecond
		h := opened(t, s, t.TempDir())
		started := time.Now()
		first := search(t, h, "s1", "needle")
		if took := time.Since(started); took > 13*time.Second || !first.Behind || len(first.Hits) > 0 {
			t.Errorf("after %s: %+v", took, first)
		}
		if second := search(t, h, "s1", "needle"); second.Behind || len(second.Hits) != 1 {
			t.Errorf("then %+v", second)
		}
	})
}

// TestSearchesOfOneChatLeavePlaces for another chat.
func TestSearchesOfOneChatLeavePlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := with("c1/s1", "c2/s2")
		s.say("s1", slices.Repeat([]string{"hay"}, 32*40)...)
		s.say("s2", "needle")
		s.slow = 100 * time.Millisecond
		h := opened(t, s, t.TempDir())
		done := make(chan error)
		for range 20 {
			go func() {
				_, err := h.Search(t.Context(), history.Query{Session: "s1", Owner: "c1", Text: "hay", Limit: 10})
				done <- err
			}()
		}
		synctest.Wait()
		started := time.Now()
		if got := names(t, h, "s2", "needle"); len(got) != 1 || time.Since(started) > 15*time.Second {
			t.Errorf("after %s: %q", time.Since(started), got)
		}
		for range 20 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestNames: only the name of an entry is one.
func TestNames(t *testing.T) {
	t.Parallel()
	s := with("c1/s1")
	s.say("s1", "one")
	h := opened(t, s, t.TempDir())
	for _, name := range []string{
		"", "1", "s1", "s1/", "s1/0", "s1/2", "s1/01", "s1/-1", "s1/+1", "s1/1/1", "/1", "s1/18446744073709551615", "s2/1", "s1/1 ",
	} {
		if hit, err := h.Entry(t.Context(), "s1", name); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("%q: %+v, %v", name, hit, err)
		}
	}
}
