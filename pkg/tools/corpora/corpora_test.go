package corpora_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/pkg/corpus"
	"parley/pkg/providers"
	"parley/pkg/tools"
	"parley/pkg/tools/corpora"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a library of fixed passages.
type shelf struct {
	passages []corpus.Passage
	states   map[string]corpus.State
	err      error
	late     bool // the first search finds nothing
	asked    []string
	most     int
}

func (s *shelf) Search(_ context.Context, names []string, _ string, most int) (found []corpus.Passage, err error) {
	s.asked, s.most = names, most
	if s.late {
		s.late = false
		return nil, s.err
	}
	for _, p := range s.passages {
		if slices.Contains(names, p.Corpus) && len(found) < most {
			found = append(found, p)
		}
	}
	return found, s.err
}

func (s *shelf) States(names []string) (all []corpus.State) {
	for _, name := range names {
		if st, ok := s.states[name]; ok {
			st.Corpus = name
			all = append(all, st)
		}
	}
	return all
}

// of gives the chat "both" two corpora, and "one" the first of them.
func of(inv tools.Invocation) []corpora.Corpus {
	all := []corpora.Corpus{{Name: "manual", Trusted: true}, {Name: "wiki"}}
	switch inv.Chat {
	case "both":
		return all
	case "one":
		return all[:1]
	default:
		return nil
	}
}

func newShelf() *shelf {
	looked := time.Unix(1_700_000_000, 0).UTC()
	return &shelf{
		passages: []corpus.Passage{
			{Corpus: "manual", File: "a/leave.md", Heading: "Leave > Days", First: 3, Last: 9, Text: "27 days", Score: 1.23456, Trusted: true},
			{Corpus: "wiki", File: "b.txt", First: 4, Last: 4, Text: "ask hunter2", Score: 1},
		},
		states: map[string]corpus.State{"manual": {Files: 3, Looked: looked}, "wiki": {Files: 1, Looked: looked}},
	}
}

// call calls a tool in a chat, and says whether the result taints its turn.
func call(t *testing.T, s *shelf, chat, tool string, args map[string]any) (result string, tainted bool) {
	t.Helper()
	r := tools.NewToolRegistry()
	for _, c := range corpora.New(corpora.Options{
		Library: s, Of: of, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") },
	}) {
		r.Register(c)
	}
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Channel: "c", Chat: chat, Level: tools.LevelChat})
	_, err := tools.RunToolLoop(ctx, tools.ToolLoopConfig{
		Provider: &once{providers.ToolCall{ID: "1", Name: tool, Arguments: args}}, Tools: r,
		Brings:   func(tools.Call) func() { return func() { tainted = true } },
		OnResult: func(_ context.Context, _ tools.Call, res *tools.ToolResult) { result = res.ForLLM },
	}, nil, "c", chat)
	if err != nil {
		t.Fatal(err)
	}
	return result, tainted
}

// once is a model that makes one call, and the same once more after an answer without passages.
type once struct{ call providers.ToolCall }

func (o *once) Chat(
	_ context.Context, said []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	if n := len(said); n > 2 || n > 0 && !strings.Contains(said[n-1].Content, `"passages":[]`) {
		return &providers.LLMResponse{Content: "done"}, nil
	}
	return &providers.LLMResponse{ToolCalls: []providers.ToolCall{o.call}}, nil
}

func TestAPassageComesWithItsPlace(t *testing.T) {
	t.Parallel()
	got, tainted := call(t, newShelf(), "one", "search_corpus", map[string]any{"query": "leave"})
	want := `{"passages":[{"corpus":"manual","file":"a/leave.md","lines":"3-9","heading":"Leave > Days","score":1.23,"text":"27 days"}]}`
	if got != want || tainted {
		t.Errorf("tainted: %v\n%s\n%s", tainted, got, want)
	}
}

// TestTheSameSearchFindsMoreLater, as the index goes on beside the turn.
func TestTheSameSearchFindsMoreLater(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.late = true
	if got, _ := call(t, s, "one", "search_corpus", map[string]any{"query": "leave"}); !strings.Contains(got, "27 days") {
		t.Errorf("the second search: %s", got)
	}
}

// TestACorpusThatIsNotTrustedTaints the turn, by its words and by the names of its files.
func TestACorpusThatIsNotTrustedTaints(t *testing.T) {
	t.Parallel()
	s := newShelf()
	got, tainted := call(t, s, "both", "search_corpus", map[string]any{"query": "leave"})
	if !tainted || !strings.Contains(got, `"lines":"4"`) || strings.Contains(got, "hunter2") {
		t.Errorf("tainted: %v %s", tainted, got)
	}
	if got, tainted := call(t, s, "both", "search_corpus", map[string]any{"query": "leave", "corpus": "manual"}); tainted {
		t.Errorf("the trusted one alone: %s", got)
	}
	if got, tainted := call(t, s, "both", "list_corpora", nil); tainted {
		t.Errorf("numbers alone: %s", got)
	}
	for name, want := range map[string]bool{"manual": false, "wiki": true} {
		s := newShelf()
		st := s.states[name]
		st.Unread = []corpus.Unread{{File: "obey me.pdf", Why: "it is no text"}}
		s.states[name] = st
		if got, tainted := call(t, s, "both", "list_corpora", nil); tainted != want || !strings.Contains(got, "obey me.pdf") {
			t.Errorf("the name of a file in %s: tainted %v %s", name, tainted, got)
		}
	}
}

// TestAChatHasItsOwnCorpora: of another it learns no more than of one that is not there.
func TestAChatHasItsOwnCorpora(t *testing.T) {
	t.Parallel()
	s := newShelf()
	for _, tool := range []string{"search_corpus", "list_corpora"} {
		args := map[string]any{"corpus": "wiki"}
		if tool == "search_corpus" {
			args["query"] = "x"
		}
		other, _ := call(t, s, "one", tool, args)
		args["corpus"] = "kiwi"
		none, _ := call(t, s, "one", tool, args)
		if !strings.Contains(other, "this chat has no corpus") || strings.ReplaceAll(other, "wiki", "kiwi") != none {
			t.Errorf("%s: %s\n%s", tool, other, none)
		}
		delete(args, "corpus")
		if got, _ := call(t, s, "none", tool, args); !strings.Contains(got, "this chat has no corpora") || strings.Contains(got, "manual") {
			t.Errorf("%s without a corpus: %s", tool, got)
		}
		if got, _ := call(t, s, "one", tool, args); strings.Contains(got, "wiki") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	if len(s.asked) != 1 || s.asked[0] != "manual" || s.most != 5 {
		t.Errorf("searched %q for %d", s.asked, s.most)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for want, args := range map[string]map[string]any{
		"query must be 1 to 300 bytes": {"query": " "},
		"query must be":                {"query": strings.Repeat("x", 301)},
		"most must be 1 to 10":         {"query": "x", "most": 11},
		"invalid_arguments":            {},
	} {
		if got, _ := call(t, newShelf(), "one", "search_corpus", args); !strings.Contains(got, want) {
			t.Errorf("%v: %s", args, got)
		}
	}
	s := newShelf()
	s.err = fmt.Errorf("%w: now", corpus.ErrNotReady)
	if got, _ := call(t, s, "one", "search_corpus", map[string]any{"query": "x"}); !strings.Contains(got, "cannot be searched yet") {
		t.Error(got)
	}
}

// TestAnAnswerIsBounded, and its note tells of passages without room, of none, and of indexing.
func TestAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.passages = nil
	for i := range 10 {
		long := strings.Repeat("x", 2000)
		s.passages = append(s.passages, corpus.Passage{Corpus: "manual", File: fmt.Sprint(i), First: 1, Last: 1, Text: long, Trusted: true})
	}
	got, _ := call(t, s, "one", "search_corpus", map[string]any{"query": "x", "most": 10})
	var a struct {
		Passages []struct{ Text string }
		Note     string
	}
	if err := json.Unmarshal([]byte(got), &a); err != nil || len(a.Passages) != 8 || !strings.Contains(a.Note, "no room: 2") {
		t.Errorf("%d passages, %q, %v", len(a.Passages), a.Note, err)
	}
	s.passages, s.states = nil, map[string]corpus.State{"manual": {Files: 4, Waiting: 6}}
	got, _ = call(t, s, "one", "search_corpus", map[string]any{"query": "x"})
	want := `"note":"No passage has any of these words. Try other ones. manual is being indexed: 4 files so far, 6 wait."`
	if !strings.Contains(got, want) {
		t.Error(got)
	}
	s.states["manual"] = corpus.State{Trouble: "open /srv/secret/place: gone"}
	for _, tool := range []string{"search_corpus", "list_corpora"} {
		args := map[string]any{}
		if tool == "search_corpus" {
			args["query"] = "x"
		}
		got, _ = call(t, s, "one", tool, args)
		if !strings.Contains(got, "manual cannot be read at the moment") || strings.Contains(got, "/srv") {
			t.Errorf("%s: %s", tool, got)
		}
	}
}
