package corpora

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/pkg/corpus"
	"parley/pkg/fair"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// The names of the tools.
const (
	NameSearch = "search_corpus"
	NameList   = "list_corpora"
)

const (
	// The bounds of a search: of its words, in bytes, of its passages, and of their texts together.
	maxQuery     = 300
	usualMost    = 5
	mostPassages = 10
	maxTexts     = 16 << 10
	// How many searches run at once.
	maxSearches = 2
)

// Library is where the corpora are; a [corpus.Library] is one.
type Library interface {
	Search(ctx context.Context, names []string, words string, most int) ([]corpus.Passage, error)
	States(names []string) []corpus.State
}

// Options are the needs of the tools; Library is required to call them.
type Options struct {
	Library Library
	// Of are the corpora of the chat of a call; nil: it has none.
	Of func(tools.Invocation) []Corpus
	// Redact removes secrets; nil leaves texts as they are.
	Redact func(string) string
}

// Corpus is a corpus of a chat.
type Corpus struct {
	Name string
	// Trusted says that its content counts as the operator's words.
	Trusted bool
}

type searchArguments struct {
	Query  string `json:"query" jsonschema:"the words to look for, in 300 bytes"`
	Corpus string `json:"corpus,omitempty" jsonschema:"search this one alone; left out: all"`
	Most   int    `json:"most,omitempty" jsonschema:"how many passages, 1 to 10; 5 if left out"`
}

type listArguments struct {
	Corpus string `json:"corpus,omitempty" jsonschema:"list this one alone; left out: all"`
}

// found is the answer of a search.
type found struct {
	Passages []passage `json:"passages"`
	Note     string    `json:"note,omitempty"`
}

type passage struct {
	Corpus  string  `json:"corpus"`
	File    string  `json:"file"`
	Lines   string  `json:"lines"`
	Heading string  `json:"heading,omitempty"`
	Score   float64 `json:"score"`
	Text    string  `json:"text"`
}

// New makes the tools.
func New(o Options) []tools.Tool {
	if o.Of == nil {
		o.Of = func(tools.Invocation) []Corpus { return nil }
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	s := &searcher{o: o, places: fair.New(maxSearches)}
	// The indexes go on beside the turn: the same call finds more later.
	an := tools.Annotations{ReadOnly: true, Idempotent: true, Volatile: true, Level: tools.LevelChat}
	return []tools.Tool{
		tools.New(NameSearch, textSearch, an, func(ctx context.Context, in searchArguments) (any, error) { return s.search(ctx, in) }),
		tools.New(NameList, textList, an, func(ctx context.Context, in listArguments) (any, error) { return s.list(ctx, in) }),
	}
}

// searcher answers the calls.
type searcher struct {
	o      Options
	places *fair.Places
}

func (s *searcher) search(ctx context.Context, in searchArguments) (any, error) {
	inv := tools.InvocationFrom(ctx)
	names, err := choose(s.o.Of(inv), in.Corpus)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(in.Query) == "" || len(in.Query) > maxQuery:
		return nil, tools.Fail(tools.ErrInvalidArguments, textQuery, nil)
	case in.Most < 0 || in.Most > mostPassages:
		return nil, tools.Fail(tools.ErrInvalidArguments, textMost, nil)
	}
	free, err := s.places.Take(ctx, inv.Owner(), func() func() { return tools.Waiting(ctx) })
	if errors.Is(err, fair.ErrFull) {
		return nil, tools.Fail(tools.ErrExecutionFailed, textBusy, nil)
	}
	if err != nil {
		return nil, err
	}
	defer free()
	most := in.Most
	if most == 0 {
		most = usualMost
	}
	got, err := s.o.Library.Search(ctx, names, in.Query, most)
	if errors.Is(err, corpus.ErrNotReady) {
		return nil, tools.Fail(tools.ErrExecutionFailed, textNotReady, nil)
	}
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, got, s.o.Library.States(names)), nil
}

// answer shows passages as far as there is room.
func (s *searcher) answer(ctx context.Context, got []corpus.Passage, states []corpus.State) found {
	a := found{Passages: []passage{}}
	var notes []string
	room := maxTexts
	for i := range got {
		p := &got[i]
		said, heading := s.o.Redact(p.Text), s.o.Redact(p.Heading)
		if len(said) > room {
			notes = append(notes, fmt.Sprintf(textCut, len(got)-i))
			break
		}
		room -= len(said)
		if !p.Trusted {
			tools.BringsOutside(ctx)
		}
		a.Passages = append(a.Passages, passage{
			Corpus: p.Corpus, File: s.o.Redact(p.File), Lines: lines(p.First, p.Last), Heading: heading,
			Score: math.Round(p.Score*100) / 100, Text: said,
		})
	}
	if len(got) == 0 {
		notes = append(notes, textNothing)
	}
	for i := range states {
		if st := &states[i]; st.Waiting > 0 || st.Looked.IsZero() && st.Trouble == "" {
			notes = append(notes, fmt.Sprintf(textGoesOn, st.Corpus, st.Files, st.Waiting))
		} else if st.Trouble != "" {
			notes = append(notes, fmt.Sprintf(textTrouble, st.Corpus))
		}
	}
	a.Note = strings.Join(notes, " ")
	return a
}

// lines names a range of lines.
func lines(first, last int) string {
	if last <= first {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// listed is the answer of list_corpora.
type listed struct {
	Corpora []corpus.State `json:"corpora"`
}

func (s *searcher) list(ctx context.Context, in listArguments) (any, error) {
	all := s.o.Of(tools.InvocationFrom(ctx))
	names, err := choose(all, in.Corpus)
	if err != nil {
		return nil, err
	}
	a := listed{Corpora: s.o.Library.States(names)}
	for i := range a.Corpora {
		st := &a.Corpora[i]
		for k := range st.Unread {
			st.Unread[k].File, st.Unread[k].Why = s.o.Redact(st.Unread[k].File), s.o.Redact(st.Unread[k].Why)
		}
		if st.Trouble != "" {
			st.Trouble = fmt.Sprintf(textTrouble, st.Corpus) // the reason names places of the machine
		}
		if len(st.Unread) > 0 && !slices.Contains(all, Corpus{st.Corpus, true}) {
			tools.BringsOutside(ctx)
		}
	}
	return a, nil
}

// choose gives the names of a chat's corpora, or the one that a call names.
func choose(all []Corpus, name string) ([]string, error) {
	const shown = 40
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	switch {
	case len(names) == 0:
		return nil, tools.Fail(tools.ErrExecutionFailed, textNone, nil)
	case name == "":
		return names, nil
	case slices.Contains(names, name):
		return []string{name}, nil
	default:
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf(textUnknown, text.Quote(name, shown), strings.Join(names, ", ")), nil)
	}
}
