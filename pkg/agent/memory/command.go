package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/pkg/agent/named"
	"parley/pkg/agent/turn"
	"parley/pkg/session"
	"parley/pkg/text"
	"parley/pkg/visible"
)

// maxArg is how much of a mistaken word an answer repeats, in characters.
const maxArg = 64

// Command answers /memory: it lists the facts of a chat, or removes one.
func (m *Memory) Command(ctx context.Context, t *turn.Turn, arg string) (turn.Reply, error) {
	re := turn.Reply{Commit: session.Commit{Outcome: session.OutcomeAnswered}}
	scope := ScopeOf(t)
	verb, id, _ := strings.Cut(strings.TrimSpace(arg), " ")
	id = named.Plain(id)
	switch {
	case verb == "", strings.EqualFold(verb, "list"):
		all, err := m.of(ctx, scope)
		re.Text = m.listed(t, scope, all)
		return re, err
	case !strings.EqualFold(verb, "remove") || id == "":
		re.Text = fmt.Sprintf(textHow, t.Typed("memory"))
		return re, nil
	}
	f, err := m.find(ctx, scope, id)
	switch {
	case err != nil:
		return re, err
	case f == nil:
		re.Text = fmt.Sprintf(textNoFact, visible.Text(text.Clip(id, maxArg)), t.Typed("memory"))
		return re, nil
	case !mayRemove(t, f):
		re.Text = fmt.Sprintf(textNotYours, f.ID)
		return re, nil
	}
	if err := m.Facts.ForgetFact(ctx, scope, f.ID); err != nil && !errors.Is(err, session.ErrNotFound) {
		return re, err
	}
	re.Text = fmt.Sprintf(textRemoved, f.ID, visible.Text(f.Text))
	return re, nil
}

// listed are the facts in lines, those of the chat and those of the person.
func (m *Memory) listed(t *turn.Turn, scope session.FactScope, all []session.Fact) string {
	var b strings.Builder
	for _, part := range []struct{ person, head string }{{"", textHere}, {scope.Person, textEverywhere}} {
		n, size := 0, 0
		var lines strings.Builder
		for i := range all {
			f := &all[i]
			if f.Person != part.person {
				continue
			}
			n++
			size += len(f.Text)
			fmt.Fprintf(&lines, "\n- `%s` %s (%s)", f.ID, visible.Text(f.Text), about(t, f, t.Clock.Here(f.Time)))
		}
		if n > 0 {
			fmt.Fprintf(&b, part.head+"%s\n\n", n, session.MaxFacts, size, session.MaxFactBytes, lines.String())
		}
		if scope.Person == "" {
			break
		}
	}
	if b.Len() == 0 {
		return textNone
	}
	return b.String() + fmt.Sprintf(textRemove, t.Typed("memory"))
}
