package trust_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/agent/trust"
	"parley/pkg/channels"
	"parley/pkg/policy"
	"parley/pkg/session"
)

// records is a store with one task and one approval.
type records struct{}

func (records) Task(_ context.Context, id string) (session.Task, error) {
	if id != "task" {
		return session.Task{}, session.ErrNotFound
	}
	return session.Task{ID: id, Principal: session.Principal{Sender: channels.Sender{ID: "owner"}, Level: "chat"}, Tainted: true}, nil
}

func (records) Approval(_ context.Context, id string) (session.Approval, error) {
	if id != "approval" {
		return session.Approval{}, session.ErrNotFound
	}
	return session.Approval{ID: id, Principal: session.Principal{Sender: channels.Sender{ID: "member"}, Level: "exec"}}, nil
}

func (records) Lookup(context.Context, channels.Address) (session.Info, error) {
	return session.Info{}, session.ErrNotFound
}

func resolver() *trust.Resolver {
	return &trust.Resolver{Store: records{}, Authorize: func(_ context.Context, e policy.Event) policy.Verdict {
		switch e.Sender.ID {
		case "owner":
			return policy.Verdict{Allow: true, Level: policy.LevelExec, Owner: true}
		case "member":
			return policy.Verdict{Allow: true, Level: policy.LevelChat}
		default:
			return policy.Verdict{}
		}
	}}
}

func from(id string) session.Item {
	return session.Item{ID: id, Inbound: &channels.Inbound{Sender: channels.Sender{ID: id}, Direct: true}}
}

// TestPrincipalOfAnItem: people have their rights of now, earlier requests the lower of
// those then and now.
func TestPrincipalOfAnItem(t *testing.T) {
	t.Parallel()
	owner, member := channels.Sender{ID: "owner"}, channels.Sender{ID: "member"}
	for name, c := range map[string]struct {
		item    session.Item
		want    trust.Principal
		refused string
	}{
		"an owner's message": {
			item: from("owner"),
			want: trust.Principal{Sender: owner, Level: policy.LevelExec, Owner: true, Person: true, Direct: true},
		},
		"a member's message": {item: from("member"), want: trust.Principal{Sender: member, Level: policy.LevelChat, Person: true, Direct: true}},
		"a stranger's":       {item: from("stranger"), want: trust.Principal{Person: true}, refused: "refused by policy"},
		"a task's result": {
			item: session.Item{TaskID: "task"},
			want: trust.Principal{Sender: owner, Level: policy.LevelChat, Owner: true, Tainted: true},
		},
		"a task that is gone": {item: session.Item{TaskID: "gone"}, refused: "its task cannot be read: " + session.ErrNotFound.Error()},
		"a job": {
			item: session.Item{Job: &session.Job{Principal: session.Principal{Sender: member, Level: "exec", Direct: true}}},
			want: trust.Principal{Sender: member, Level: policy.LevelChat, Direct: true},
		},
		"a job of a conversation with a page": {
			item: session.Item{Job: &session.Job{Principal: session.Principal{Sender: member, Level: "exec", Direct: true, Follows: true}}},
			want: trust.Principal{Sender: member, Level: policy.LevelChat, Direct: true, Follows: true},
		},
		"a decision": {
			item: session.Item{Decision: &session.Decision{Approval: "approval"}},
			want: trust.Principal{Sender: member, Level: policy.LevelChat},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, refused := resolver().Of(t.Context(), c.item)
			if d := cmp.Diff(c.want, got); d != "" || refused != c.refused {
				t.Errorf("refused %q: -want +got\n%s", refused, d)
			}
		})
	}
}

// TestPrincipalOfATurn has the lowest rights among its senders, without those that the
// policy refuses.
func TestPrincipalOfATurn(t *testing.T) {
	t.Parallel()
	log := zerolog.Nop()
	items, p, refused := resolver().OfAll(t.Context(), []session.Item{from("stranger"), from("owner"), {TaskID: "task"}, from("member")}, &log)
	if len(items) != 3 || refused == "" {
		t.Errorf("%d items, refused %q", len(items), refused)
	}
	if p.Level != policy.LevelChat || p.Owner || !p.Person || p.Direct || !p.Tainted {
		t.Errorf("%+v", p)
	}
	if p.SharesSpace() {
		t.Error("a turn that is not the owner's alone shares the owners' space")
	}
}

// TestRightsToCancel: a task's creator, its rights, or an owner.
func TestRightsToCancel(t *testing.T) {
	t.Parallel()
	task := &session.Task{Principal: session.Principal{Sender: channels.Sender{ID: "member"}, Level: "write"}}
	for name, c := range map[string]struct {
		p    trust.Principal
		want bool
	}{
		"its creator":       {trust.Principal{Sender: channels.Sender{ID: "member"}, Level: policy.LevelChat}, true},
		"the same rights":   {trust.Principal{Level: policy.LevelWrite}, true},
		"lower rights":      {trust.Principal{Level: policy.LevelChat}, false},
		"an owner, lowered": {trust.Principal{Level: policy.LevelChat, Owner: true}, true},
	} {
		if c.p.MayCancel(task) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}
