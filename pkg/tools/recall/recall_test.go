package recall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
	"parley/pkg/tools/recall"
)

// history is that of sessions, by id. Damaged entries are nil.
type history struct {
	sessions map[string][]*session.Entry
	err      error
	read     int
	slow     time.Duration
}

func (h *history) Get(_ context.Context, id string) (session.Info, error) {
	all, ok := h.sessions[id]
	if !ok {
		return session.Info{}, session.ErrNotFound
	}
	return session.Info{Session: id, Entries: uint64(len(all))}, nil
}

func (h *history) Back(_ context.Context, id string, before uint64, f func(session.Entry) bool) error {
	all := h.sessions[id]
	for i := min(int(before)-1, len(all)) - 1; i >= 0; i-- {
		if all[i] == nil {
			continue
		}
		h.read++
		if h.slow > 0 {
			<-time.After(h.slow)
		}
		if !f(*all[i]) {
			break
		}
	}
	return h.err
}

// of makes a history of one session, "s", of texts of people.
func of(texts ...string) *history {
	var all []*session.Entry
	for _, text := range texts {
		all = append(all, &session.Entry{Message: providers.Message{Role: providers.RoleUser, Content: text}})
	}
	return with(all...)
}

// with makes a history of one session, "s".
func with(all ...*session.Entry) *history {
	for i, e := range all {
		if e != nil {
			e.Seq, e.Time = uint64(i+1), time.Date(2026, 3, 1, 12, i, 0, 0, time.UTC)
		}
	}
	return &history{sessions: map[string][]*session.Entry{"s": all}}
}

// page is an answer of the tool.
type page struct {
	Entries []struct {
		Entry            uint64
		Time, From, Text string
	}
	Next uint64
	Note string
}

// numbers are the entries of a page.
func (p page) numbers() []uint64 {
	out := []uint64{}
	for _, e := range p.Entries {
		out = append(out, e.Entry)
	}
	return out
}

// options has a history, and redacts hunter22.
func options(h recall.History) recall.Options {
	return recall.Options{
		History:  h,
		Location: func(context.Context) *time.Location { return time.FixedZone("CET", 3600) },
		Redact:   func(s string) string { return strings.ReplaceAll(s, "hunter22", "[redacted]") },
	}
}

// call runs the tool in session "s".
func call(t *testing.T, h recall.History, args string) *tools.ToolResult {
	t.Helper()
	return callIn(t, h, "s", args)
}

func callIn(t *testing.T, h recall.History, id, args string) *tools.ToolResult {
	t.Helper()
	r := tools.NewToolRegistry()
	r.Register(recall.New(options(h)))
	in, err := providers.DecodeArguments(args)
	if err != nil {
		t.Fatal(err)
	}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Chat: "c", Session: id, Level: tools.LevelChat})
	return r.Execute(ctx, recall.Name, in)
}

// reads is a page that the tool must give.
func reads(t *testing.T, h recall.History, args string) page {
	t.Helper()
	res := call(t, h, args)
	var p page
	if err := json.Unmarshal([]byte(res.ForLLM), &p); err != nil || res.IsError {
		t.Fatalf("%s gives %s", args, res.ForLLM)
	}
	return p
}

// TestSearch finds the words of people, of the model, of results and of calls, whatever their
// case, in entries that have all of them.
func TestSearch(t *testing.T) {
	t.Parallel()
	said := func(role, name, text string, calls ...providers.ToolCall) *session.Entry {
		return &session.Entry{Message: providers.Message{Role: role, Name: name, Content: text, ToolCalls: calls}}
	}
	h := with(
		said("user", "", "Ann: The cabin costs ÄRGER and 417 francs"),
		said("assistant", "", "I will look", providers.ToolCall{Name: "web_fetch", RawArguments: `{"url":"cabin.example"}`}),
		said("tool", "web_fetch", "a page about a cabin for 417"),
		&session.Entry{Summary: true, Message: providers.Message{Role: "user", Content: "They spoke of a CABIN"}},
		said("assistant", "", "", providers.ToolCall{Name: recall.Name, RawArguments: `{"words":"cabin"}`}),
		said("tool", recall.Name, `{"entries":[{"text":"cabin 417"}]}`),
		said("user", "", "nothing of it"),
	)
	for args, want := range map[string][]uint64{
		`{"words":"cabin"}`:                {4, 3, 2, 1},
		`{"words":"417 CABIN"}`:            {3, 1},
		`{"words":" ärger "}`:              {1},
		`{"words":"cab"}`:                  {4, 3, 2, 1},
		`{"words":"cabin.example"}`:        {2},
		`{"words":"cabin boat"}`:           {},
		`{"words":"cabin","before":3}`:     {2, 1},
		`{"words":"cabin","before":1}`:     {},
		`{"words":"cabin","before":10000}`: {4, 3, 2, 1},
	} {
		p := reads(t, h, args)
		if d := cmp.Diff(want, p.numbers()); d != "" || p.Next != 0 {
			t.Errorf("%s: next %d: %s", args, p.Next, d)
		}
		if (len(want) == 0) != strings.HasPrefix(p.Note, "No entry") {
			t.Errorf("%s: the note is %q", args, p.Note)
		}
	}
	p := reads(t, h, `{"words":"cabin"}`)
	var from []string
	for _, e := range p.Entries {
		from = append(from, e.From)
	}
	if want := []string{"summary", "result of web_fetch", "you", "message"}; !slices.Equal(from, want) {
		t.Errorf("from %q", from)
	}
	if e := p.Entries[3]; e.Time != "2026-03-01 13:00:00 CET" || !strings.HasPrefix(e.Text, "Ann: The cabin") {
		t.Errorf("the oldest is %+v", e)
	}
}

// TestPages leads through all hits, each once, and shows the words of each.
func TestPages(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 600 {
		text := strings.Repeat("é filler ", 200)
		if i%24 == 0 {
			text += fmt.Sprintf("the needle %d ", i) + text
		}
		texts = append(texts, text)
	}
	h := of(texts...)
	var got []uint64
	for args, pages := `{"words":"needle"}`, 0; ; pages++ {
		p := reads(t, h, args)
		for _, e := range p.Entries {
			got = append(got, e.Entry)
			if !strings.Contains(e.Text, fmt.Sprintf("the needle %d ", e.Entry-1)) || len(e.Text) > 1000 {
				t.Errorf("entry %d shows %q", e.Entry, e.Text)
			}
		}
		if p.Next == 0 {
			break
		}
		if len(p.Entries) != 10 || pages > 5 {
			t.Fatalf("page %d has %d entries", pages, len(p.Entries))
		}
		args = fmt.Sprintf(`{"words":"needle","before":%d}`, p.Next)
	}
	var want []uint64
	for i := 576; i >= 0; i -= 24 {
		want = append(want, uint64(i+1))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestBounds: a call ends after a time and an amount of text, says so, and the next one goes on.
func TestBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := of(slices.Repeat([]string{"hay"}, 100)...)
		h.slow = 100 * time.Millisecond
		began := time.Now()
		p := reads(t, h, `{"words":"needle"}`)
		if took := time.Since(began); took > 3*time.Second || p.Next == 0 || p.Next < 70 || !strings.Contains(p.Note, "limit") {
			t.Errorf("after %s: %+v", took, p)
		}
	})
	h := of(slices.Repeat([]string{strings.Repeat("hay ", 1<<18)}, 40)...) // 1 MB each
	p := reads(t, h, `{"words":"needle"}`)
	if h.read > 17 || p.Next < 20 || !strings.Contains(p.Note, "limit") {
		t.Errorf("%d were read: %+v", h.read, p)
	}
	h = of(append([]string{"a needle"}, slices.Repeat([]string{"hay"}, 30_000)...)...)
	first := reads(t, h, `{"words":"needle"}`)
	second := reads(t, h, fmt.Sprintf(`{"words":"needle","before":%d}`, first.Next))
	if len(first.Entries) > 0 || first.Next == 0 || len(second.Entries) != 1 || second.Next != 0 {
		t.Errorf("first %+v, then %+v", first, second)
	}
}

// TestAnEntry is read whole, but for one that is very long.
func TestAnEntry(t *testing.T) {
	t.Parallel()
	h := of("short", strings.Repeat("long ", 2000), strings.Repeat("very long ", 10_000), "my hunter22")
	for n, want := range map[int]int{1: 5, 2: 10_000, 3: 32 << 10, 4: len("my [redacted]")} {
		p := reads(t, h, fmt.Sprintf(`{"entry":%d}`, n))
		got := p.Entries[0]
		if len(got.Text) > want+3 || len(got.Text) < want-3 || (p.Note != "") != (n == 3) {
			t.Errorf("entry %d: %d bytes, %q", got.Entry, len(got.Text), p.Note)
		}
	}
}

// TestWhatWasTakenOut of the conversation is neither found nor read.
func TestWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	h := of("the cabin costs 417", "the cabin is gone", "a cabin")
	h.sessions["s"][1].Undone = true
	p := reads(t, h, `{"words":"cabin"}`)
	if d := cmp.Diff([]uint64{3, 1}, p.numbers()); d != "" || strings.Contains(p.Note, "Damaged") {
		t.Errorf("%s: %s", p.Note, d)
	}
	if res := call(t, h, `{"entry":2}`); !res.IsError || strings.Contains(res.ForLLM, "gone") || !strings.Contains(res.ForLLM, "taken out") {
		t.Errorf("it reads %s", res.ForLLM)
	}
}

// TestDamage: entries that cannot be read are left out and counted, wherever they are.
func TestDamage(t *testing.T) {
	t.Parallel()
	word := func() *session.Entry {
		return &session.Entry{Message: providers.Message{Role: providers.RoleUser, Content: "word"}}
	}
	for name, c := range map[string]struct {
		all  []*session.Entry
		want []uint64
		n    int
	}{
		"the newest": {[]*session.Entry{word(), word(), nil}, []uint64{2, 1}, 1},
		"one amidst": {[]*session.Entry{word(), nil, nil, word()}, []uint64{4, 1}, 2},
		"the oldest": {[]*session.Entry{nil, nil, nil, word()}, []uint64{4}, 3},
		"all":        {[]*session.Entry{nil, nil}, []uint64{}, 2},
		"none":       {[]*session.Entry{word()}, []uint64{1}, 0},
	} {
		p := reads(t, with(c.all...), `{"words":"word"}`)
		if d := cmp.Diff(c.want, p.numbers()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if told := strings.Contains(p.Note, fmt.Sprintf("could not be searched: %d.", c.n)); told != (c.n > 0) || p.Next != 0 {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestASecretIsNeitherFoundNorCut: no search tells whether a secret is there, and no hit
// shows a part of one.
func TestASecretIsNeitherFoundNorCut(t *testing.T) {
	t.Parallel()
	h := of("the password is hunter22 since May")
	for _, args := range []string{`{"words":"hunter22"}`, `{"words":"hunter"}`, `{"words":"since unter2"}`} {
		if p := reads(t, h, args); len(p.Entries) > 0 {
			t.Errorf("%s found %+v", args, p)
		}
	}
	for n := 270; n < 330; n++ { // a piece of 400 characters ends within the secret
		h := of("needle " + strings.Repeat("x", n) + " hunter22 " + strings.Repeat("y", 500))
		for _, e := range reads(t, h, `{"words":"needle"}`).Entries {
			if strings.Contains(e.Text, "hun") {
				t.Errorf("with %d characters before it: %q", n, e.Text[n:])
			}
		}
	}
}

// TestRefusals name their cause.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := with(&session.Entry{}, nil)
	broken := of("word")
	broken.err = errors.New("the disk is gone")
	for name, c := range map[string]struct {
		h        *history
		id, args string
		want     string
	}{
		"no words":         {h, "s", `{}`, "words must be"},
		"blank words":      {h, "s", `{"words":" "}`, "words must be"},
		"many words":       {h, "s", `{"words":"a b c d e f g h i j k"}`, "words must be"},
		"long words":       {h, "s", `{"words":"` + strings.Repeat("a", 301) + `"}`, "words must be"},
		"both":             {h, "s", `{"words":"a","entry":1}`, "not both"},
		"below 0":          {h, "s", `{"words":"a","before":-1}`, "invalid_arguments"},
		"no such entry":    {h, "s", `{"entry":3}`, "the newest is 2"},
		"a damaged entry":  {h, "s", `{"entry":2}`, "damaged"},
		"no session":       {h, "", `{"words":"a"}`, "only in a conversation"},
		"a broken store":   {broken, "s", `{"words":"b"}`, "execution_failed"},
		"another argument": {h, "s", `{"words":"a","chat":"2"}`, "invalid_arguments"},
	} {
		if res := callIn(t, c.h, c.id, c.args); !res.IsError || !strings.Contains(res.ForLLM, c.want) {
			t.Errorf("%s: %s", name, res.ForLLM)
		}
	}
}
