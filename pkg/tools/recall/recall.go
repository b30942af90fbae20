package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/fair"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// Name is the name of the tool.
const Name = "search_conversation"

const (
	// The bounds of the words.
	maxQuery = 300
	maxWords = 10
	// The bound of an entry that is read whole, in bytes.
	maxEntry = 32 << 10
	// How many searches run at once.
	maxSearches = 2
)

// History is where conversations are read; [session.Sessions] is one.
type History interface {
	// Get finds a session.
	Get(ctx context.Context, sessionID string) (session.Info, error)
	// Back gives the entries of a session with Seq < before, the newest first, until f
	// says no.
	Back(ctx context.Context, sessionID string, before uint64, f func(session.Entry) bool) error
}

// Options are the needs of the tool; History is required to call it.
type Options struct {
	History History
	// Location is the time zone of the running call's chat; nil: UTC.
	Location func(ctx context.Context) *time.Location
	// Redact removes secrets; nil leaves texts as they are.
	Redact func(string) string
}

type arguments struct {
	Words  string `json:"words,omitempty" jsonschema:"1 to 10 words, in 300 bytes; an entry must have all"`
	Before uint64 `json:"before,omitempty" jsonschema:"next of the page before"`
	Entry  uint64 `json:"entry,omitempty" jsonschema:"read this one whole, without words"`
}

// answer is a page of entries.
type answer struct {
	Entries []entry `json:"entries"`
	// Next is the cursor of the next page.
	Next uint64 `json:"next,omitempty"`
	Note string `json:"note,omitempty"`
}

// entry is one that has the words, or that was asked for.
type entry struct {
	Entry uint64 `json:"entry"`
	Time  string `json:"time"`
	From  string `json:"from"`
	Text  string `json:"text"`
}

// New makes the tool.
func New(o Options) tools.Tool {
	if o.Location == nil {
		o.Location = func(context.Context) *time.Location { return time.UTC }
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	r := &reader{o: o, places: fair.New(maxSearches)}
	return tools.New(Name, textDescription,
		tools.Annotations{ReadOnly: true, Idempotent: true, Recalls: true, Level: tools.LevelChat},
		func(ctx context.Context, in arguments) (any, error) { return r.call(ctx, in) })
}

// reader reads conversations.
type reader struct {
	o      Options
	places *fair.Places
}

func (r *reader) call(ctx context.Context, in arguments) (any, error) {
	inv := tools.InvocationFrom(ctx)
	words := strings.Fields(lower(in.Words))
	switch {
	case inv.Session == "":
		return nil, tools.Fail(tools.ErrExecutionFailed, textOutside, nil)
	case in.Entry > 0 && len(words) > 0:
		return nil, tools.Fail(tools.ErrInvalidArguments, textBoth, nil)
	case in.Entry == 0 && (len(words) == 0 || len(words) > maxWords || len(in.Words) > maxQuery):
		return nil, tools.Fail(tools.ErrInvalidArguments, textWords, nil)
	}
	free, err := r.places.Take(ctx, inv.Owner(), func() func() { return tools.Waiting(ctx) })
	if errors.Is(err, fair.ErrFull) {
		return nil, tools.Fail(tools.ErrExecutionFailed, textBusy, nil)
	}
	if err != nil {
		return nil, err
	}
	defer free()
	info, err := r.o.History.Get(ctx, inv.Session)
	if err != nil {
		return nil, err
	}
	if in.Entry > 0 {
		return r.whole(ctx, &info, in.Entry)
	}
	return r.search(ctx, &info, words, in.Before)
}

// whole is one entry.
func (r *reader) whole(ctx context.Context, info *session.Info, n uint64) (any, error) {
	if n > info.Entries {
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf(textNoEntry, n, info.Entries), nil)
	}
	var found []session.Entry
	err := r.o.History.Back(ctx, info.Session, n+1, func(e session.Entry) bool {
		if e.Seq == n {
			found = append(found, e)
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, tools.Fail(tools.ErrExecutionFailed, fmt.Sprintf(textDamaged, n), nil)
	}
	if found[0].Undone {
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf(textUndone, n), nil)
	}
	e, said := &found[0], r.o.Redact(textOf(&found[0]))
	a := answer{}
	if len(said) > maxEntry {
		said, a.Note = text.ClipBytes(said, maxEntry), textCutEntry
	}
	a.Entries = []entry{r.entry(ctx, e, said)}
	return a, nil
}

// entry shows a text of an entry, and taints the turn that reads it where the entry has
// content from outside.
func (r *reader) entry(ctx context.Context, e *session.Entry, said string) entry {
	if e.Outside {
		tools.BringsOutside(ctx)
	}
	return entry{Entry: e.Seq, Time: e.Time.In(r.o.Location(ctx)).Format(time.DateTime + " MST"), From: originOf(e), Text: said}
}
