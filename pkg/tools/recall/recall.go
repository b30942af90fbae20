package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/pkg/history"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// Name is the name of the tool.
const Name = history.SearchName

const (
	// The bound of the words, in bytes.
	maxQuery = 300
	// How many entries an answer has.
	maxHits = 10
	// The bound of an entry that is read whole, in bytes.
	maxEntry = 32 << 10
)

// Past is where the past of a chat is found; [history.History] is one.
type Past interface {
	// Search finds entries of the chat of a session.
	Search(ctx context.Context, q history.Query) (history.Found, error)
	// Entry is one entry of the chat of the session that asks.
	Entry(ctx context.Context, asking, name string) (history.Hit, error)
}

// Options are the needs of the tool; Past is required to call it.
type Options struct {
	Past Past
	// Location is the time zone of the running call's chat; nil: UTC.
	Location func(ctx context.Context) *time.Location
}

type arguments struct {
	Query string `json:"query,omitempty" jsonschema:"words, in 300 bytes; an entry need not have all"`
	Entry string `json:"entry,omitempty" jsonschema:"read this one of an earlier answer whole, without query"`
}

// answer has the entries that were found.
type answer struct {
	Entries []entry `json:"entries"`
	Note    string  `json:"note,omitempty"`
}

// entry is one that was found, or asked for.
type entry struct {
	Entry string `json:"entry"`
	Time  string `json:"time"`
	From  string `json:"from"`
	// Conversation says that it is not the present one.
	Conversation string `json:"conversation,omitempty"`
	Text         string `json:"text"`
}

// New makes the tool.
func New(o Options) tools.Tool {
	if o.Location == nil {
		o.Location = func(context.Context) *time.Location { return time.UTC }
	}
	r := &reader{o: o}
	// A search that is behind asks for the same call again: no answer comes from memory.
	return tools.New(Name, textDescription,
		tools.Annotations{ReadOnly: true, Idempotent: true, Volatile: true, Recalls: true, Level: tools.LevelChat},
		func(ctx context.Context, in arguments) (any, error) { return r.call(ctx, in) })
}

// reader reads the past.
type reader struct{ o Options }

func (r *reader) call(ctx context.Context, in arguments) (any, error) {
	inv := tools.InvocationFrom(ctx)
	query := strings.TrimSpace(in.Query)
	switch {
	case inv.Session == "":
		return nil, tools.Fail(tools.ErrExecutionFailed, textOutside, nil)
	case in.Entry != "" && query != "":
		return nil, tools.Fail(tools.ErrInvalidArguments, textBoth, nil)
	case in.Entry == "" && (query == "" || len(in.Query) > maxQuery):
		return nil, tools.Fail(tools.ErrInvalidArguments, textQuery, nil)
	case in.Entry != "":
		return r.whole(ctx, inv.Session, in.Entry)
	}
	found, err := r.o.Past.Search(ctx, history.Query{
		Session: inv.Session, Owner: inv.Owner(), Waits: func() func() { return tools.Waiting(ctx) }, Text: query, Limit: maxHits,
	})
	if errors.Is(err, history.ErrBusy) {
		return nil, tools.Fail(tools.ErrExecutionFailed, textBusy, nil)
	}
	if err != nil {
		return nil, err
	}
	a := answer{Entries: make([]entry, 0, len(found.Hits))}
	for i := range found.Hits {
		a.Entries = append(a.Entries, r.entry(ctx, inv.Session, &found.Hits[i]))
	}
	var notes []string
	if len(found.Hits) == 0 && !found.Behind {
		notes = append(notes, textNone)
	}
	if found.Behind {
		notes = append(notes, textBehind)
	}
	if found.Unread > 0 {
		notes = append(notes, fmt.Sprintf(textSkipped, found.Unread))
	}
	a.Note = strings.Join(notes, " ")
	return a, nil
}

// whole is one entry.
func (r *reader) whole(ctx context.Context, asking, name string) (any, error) {
	hit, err := r.o.Past.Entry(ctx, asking, name)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf(textNoEntry, name, history.Name(asking, 1)), nil)
	case errors.Is(err, session.ErrCorrupt):
		return nil, tools.Fail(tools.ErrExecutionFailed, fmt.Sprintf(textDamaged, name), nil)
	case err != nil:
		return nil, err
	}
	a := answer{}
	if len(hit.Piece) > maxEntry {
		hit.Piece, a.Note = text.ClipBytes(hit.Piece, maxEntry), textCutEntry
	}
	a.Entries = []entry{r.entry(ctx, asking, &hit)}
	return a, nil
}

// entry shows a text of an entry, and taints the turn that reads it where the entry has
// content from outside.
func (r *reader) entry(ctx context.Context, asking string, hit *history.Hit) entry {
	e := &hit.Entry
	if e.Outside {
		tools.BringsOutside(ctx)
	}
	out := entry{
		Entry: history.Name(hit.Session, e.Seq), Time: e.Time.In(r.o.Location(ctx)).Format(time.DateTime + " MST"),
		From: originOf(e), Text: hit.Piece,
	}
	if hit.Session != asking {
		out.Conversation = textEarlier
	}
	return out
}

// originOf tells where an entry comes from.
func originOf(e *session.Entry) string {
	switch {
	case e.Summary:
		return fromSummary
	case e.Message.Role == providers.RoleAssistant:
		return fromModel
	case e.Message.Role == providers.RoleTool:
		return fromTool + e.Message.Name
	default:
		return fromMessage
	}
}
