package memory

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// MaxText is the longest fact, in bytes.
const MaxText = 500

// ownerPerson is the person of the facts that all owners share.
const ownerPerson = "owners"

// Memory has the facts of all chats. Without Facts they remember none.
type Memory struct{ Facts session.Facts }

// of are the facts of a scope.
func (m *Memory) of(ctx context.Context, s session.FactScope) ([]session.Fact, error) {
	if m.Facts == nil {
		return nil, nil
	}
	return m.Facts.Facts(ctx, s)
}

// ScopeOf is whose facts a turn has.
func ScopeOf(t *turn.Turn) session.FactScope {
	s := session.FactScope{Chat: t.Origin.Chat}
	p := &t.Principal
	switch {
	case !p.Direct || p.Sender.ID == "":
	case p.SharesSpace():
		s.Person = ownerPerson
	default:
		at := t.Origin.Address
		s.Person = strings.Join([]string{url.QueryEscape(at.Channel), url.QueryEscape(at.Account), url.QueryEscape(p.Sender.ID)}, ":")
	}
	return s
}

// Told is the part of a turn's prompt that tells the facts, "" without any. Outside says that one of them
// is content from outside.
func (m *Memory) Told(ctx context.Context, t *turn.Turn) (told string, outside bool, err error) {
	all, err := m.of(ctx, ScopeOf(t))
	if err != nil || len(all) == 0 {
		return "", false, err
	}
	var b strings.Builder
	b.WriteString(promptHead)
	for i := range all {
		f := &all[i]
		outside = outside || f.Outside
		fmt.Fprintf(&b, "\n- %s (%s): %s", f.ID, about(t, f, f.Time.In(t.Clock.Location()).Format(time.DateOnly)), f.Text)
	}
	return b.String(), outside, nil
}

// about tells when and by whom a fact was told, and whether it is content from outside.
func about(t *turn.Turn, f *session.Fact, when string) string {
	parts := []string{when}
	if !t.Principal.Direct && f.By.Name != "" {
		parts = append(parts, line(f.By.Name))
	}
	if f.Outside {
		parts = append(parts, textOutside)
	}
	return strings.Join(parts, ", ")
}

// line is a text in one line.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Calls are the tool's view of the turn that its call belongs to.
type Calls struct {
	Running *turn.Running
	Memory  *Memory
}

// Remember stores a fact of the chat, or with here false in a direct chat of its person, in the place of
// the one with the id instead, if that is not "". It returns the id, and whose fact it is.
func (c Calls) Remember( //nolint:revive // flag-parameter: it is the model's word
	ctx context.Context, fact string, here bool, instead string,
) (id, whose string, err error) {
	t, scope, err := c.scope(ctx)
	if err != nil {
		return "", "", err
	}
	if fact = line(t.Deps.Redact(fact)); fact == "" || len(fact) > MaxText {
		return "", "", tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf(textLong, MaxText), nil)
	}
	key := tools.InvocationFrom(ctx).Key
	f := session.Fact{
		Chat: scope.Chat, Text: fact, By: t.Principal.Sender, Item: t.Info.Items[0].ID, Call: key,
		Outside: t.Provenance.Tainted() || t.Provenance.Follows() && !turn.IsDecided(t, key),
	}
	whose = whoseChat
	if !here && scope.Person != "" {
		f.Person, whose = scope.Person, whosePerson
	}
	if instead != "" {
		if instead, err = c.mayRemove(ctx, t, scope, instead); err != nil {
			return "", "", err
		}
	}
	stored, err := c.Memory.Facts.Remember(ctx, f, instead)
	switch {
	case errors.Is(err, session.ErrFull):
		return "", "", tools.Fail(tools.ErrExecutionFailed, fmt.Sprintf(textFull, session.MaxFacts, session.MaxFactBytes), nil)
	case errors.Is(err, session.ErrNotFound):
		return "", "", tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf(textOtherScope, instead), nil)
	}
	return stored.ID, whose, err
}

// Forget removes a fact. One that is not there is gone.
func (c Calls) Forget(ctx context.Context, id string) error {
	t, scope, err := c.scope(ctx)
	if err != nil {
		return err
	}
	if id, err = c.mayRemove(ctx, t, scope, id); err != nil {
		return err
	}
	err = c.Memory.Facts.ForgetFact(ctx, scope, id)
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// scope is whose facts the turn of a call has.
func (c Calls) scope(ctx context.Context) (*turn.Turn, session.FactScope, error) {
	t, _, err := c.Running.Of(ctx)
	if err != nil {
		return nil, session.FactScope{}, err
	}
	if t.Info.Address.Channel == session.AgentChannel || c.Memory.Facts == nil {
		return nil, session.FactScope{}, tools.Fail(tools.ErrPermissionDenied, textAgent, nil)
	}
	return t, ScopeOf(t), nil
}

// mayRemove refuses to remove a fact of another person of the chat without the level write. It returns the id
// as the fact has it: a model may write it in capitals.
func (c Calls) mayRemove(ctx context.Context, t *turn.Turn, scope session.FactScope, id string) (string, error) {
	f, err := c.Memory.find(ctx, scope, id)
	if err != nil || f == nil {
		return id, err
	}
	if !mayRemove(t, f) {
		return id, tools.Fail(tools.ErrPermissionDenied, fmt.Sprintf(textNotYours, id), nil)
	}
	return f.ID, nil
}

// mayRemove says whether a turn may remove a fact. In a turn of several people the words may be another one's than
// those of the person who told it.
func mayRemove(t *turn.Turn, f *session.Fact) bool {
	own := f.By.ID == t.Principal.Sender.ID && !t.Provenance.SeveralPeople()
	return t.Principal.Direct || own || t.Principal.Level.Allows(policy.LevelWrite)
}

// find is a fact of a scope, or nil.
func (m *Memory) find(ctx context.Context, s session.FactScope, id string) (*session.Fact, error) {
	all, err := m.of(ctx, s)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(f session.Fact) bool { return strings.EqualFold(f.ID, id) }); i >= 0 {
		return &all[i], nil
	}
	return nil, nil //nolint:nilnil // there is none
}
