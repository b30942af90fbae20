package approval_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/agent/approval"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// memory is a store of questions, with the inbox of the decisions on them.
type memory struct {
	questions []session.Approval
	items     []session.Item
}

func (m *memory) Approval(_ context.Context, id string) (session.Approval, error) {
	for i := range m.questions {
		if m.questions[i].ID == id {
			return m.questions[i], nil
		}
	}
	return session.Approval{}, session.ErrNotFound
}

func (m *memory) ApprovalList(_ context.Context, chat string) ([]session.Approval, error) {
	return slices.DeleteFunc(slices.Clone(m.questions), func(a session.Approval) bool { return a.Chat != chat }), nil
}

func (m *memory) Grants(context.Context, string) ([]session.Grant, error) { return nil, nil }

// Append swallows an item with an id that is known, as the engine does.
func (m *memory) Append(ctx context.Context, items []session.Item, _ *channels.Cursor) error {
	for i := range items {
		if _, err := m.Waits(ctx, items[i].ID); err != nil {
			m.items = append(m.items, items[i])
		}
	}
	return nil
}

func (m *memory) Waits(_ context.Context, id string) (session.Item, error) {
	for i := range m.items {
		if m.items[i].ID == id {
			return m.items[i], nil
		}
	}
	return session.Item{}, session.ErrNotFound
}

func room(m *memory) *approval.Approvals {
	return approval.New(approval.Options{
		Store: m, Inbox: m, OnEvent: func(approval.Event) {},
		Chat: func(_ context.Context, at channels.Address) (session.Info, error) {
			if at.Chat == "elsewhere" {
				return session.Info{}, session.ErrNotFound
			}
			return session.Info{Chat: "1"}, nil
		},
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
	})
}

// question waits for an answer.
func question(id, shown string) session.Approval {
	now := time.Now()
	return session.Approval{
		ID: id, Chat: "1", Text: shown, Question: "turn/" + id, State: session.ApprovalOpen,
		Call:  session.HeldCall{Tool: "write_file"},
		Asked: now.Add(-time.Minute), Expires: now.Add(approval.Time - time.Minute),
	}
}

// TestQuestionsThatWaitCanBeShownAgain, with buttons that are read as decisions on them.
func TestQuestionsThatWaitCanBeShownAgain(t *testing.T) {
	t.Parallel()
	once, often, denied, late := question("once", "a.md"), question("often", "b.md"), question("denied", "c.md"), question("late", "d.md")
	often.Grantable = true
	denied.State = session.ApprovalDenied
	late.Asked, late.Expires = late.Asked.Add(-time.Hour), late.Expires.Add(-time.Hour)
	other := question("other", "e.md")
	other.Chat = "2"
	m := &memory{questions: []session.Approval{once, denied, often, late, question("secret", "hunter2"), other}}
	here := channels.Address{Channel: "console", Chat: "here"}
	open, err := room(m).Open(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	type shown struct {
		ID, Approval string
		Buttons      int
	}
	var got []shown
	for _, o := range open {
		one := shown{ID: o.ID, Buttons: len(o.Buttons)}
		if o.Address != here || !strings.Contains(o.Text, "write_file") {
			t.Errorf("%s is shown at %v: %s", o.ID, o.Address, o.Text)
		}
		for _, b := range o.Buttons {
			press := &channels.Inbound{Kind: channels.KindButton, Text: b.Data}
			d, ok := approval.ParseDecision(&session.Item{Inbound: press})
			if one.Approval = d.Approval; !ok || d.Operator || o.ID != "turn/"+d.Approval {
				t.Errorf("%s: a press of %q is read as %+v, %v", o.ID, b.Label, d, ok)
			}
			press.Kind = channels.KindMessage
			if _, ok := approval.ParseDecision(&session.Item{Inbound: press}); ok {
				t.Errorf("the text %q is read as a decision", b.Data)
			}
		}
		got = append(got, one)
	}
	if diff := cmp.Diff([]shown{{"turn/once", "once", 2}, {"turn/often", "often", 3}}, got); diff != "" {
		t.Error(diff)
	}
	if open, err := room(m).Open(t.Context(), channels.Address{Chat: "elsewhere"}); len(open) > 0 || err != nil {
		t.Errorf("an unknown chat has %v, %v", open, err)
	}
}

// TestTheOperatorsFirstDecisionCounts also before a turn has carried it out.
func TestTheOperatorsFirstDecisionCounts(t *testing.T) {
	t.Parallel()
	over, once := question("over", "b.md"), question("once", "c.md")
	over.State = session.ApprovalVoid
	m := &memory{questions: []session.Approval{question("one", "a.md"), over, once}}
	p := room(m)
	for range 2 { // the second is the same
		if err := p.Decide(t.Context(), session.Decision{Approval: "one", Allow: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Decide(t.Context(), session.Decision{Approval: "one"}); err == nil || !strings.Contains(err.Error(), "was approved before") {
		t.Errorf("the opposite decision: %v", err)
	}
	here := session.Decision{Approval: "once", Allow: true, Here: true}
	if err := p.Decide(t.Context(), here); err == nil || !strings.Contains(err.Error(), "one at a time") {
		t.Errorf("later calls of a tool that is only allowed once: %v", err)
	}
	if len(m.items) != 1 {
		t.Errorf("stored: %v", m.items)
	}
	if d, ok := approval.ParseDecision(&m.items[0]); !ok || !d.Operator || d.Approval != "one" {
		t.Errorf("it is read as %+v, %v", d, ok)
	}
	if err := p.Decide(t.Context(), session.Decision{Approval: "over", Allow: true}); err == nil || !strings.Contains(err.Error(), "void") {
		t.Errorf("a decision on a void question: %v", err)
	}
	if err := p.Decide(t.Context(), session.Decision{Approval: "none"}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a decision on no question: %v", err)
	}
}
