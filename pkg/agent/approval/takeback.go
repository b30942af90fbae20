package approval

import (
	"context"
	"slices"
	"strconv"
	"time"

	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/session"
)

// TakeBack makes the open questions of earlier turns void, for a turn that takes these out of the
// conversation: the questions for its commit, and the messages that finish them.
func (p *Approvals) TakeBack(ctx context.Context, t *turn.Turn, turns []string) ([]session.Approval, []channels.Outbound, error) {
	all, err := p.o.Store.ApprovalList(ctx, t.Info.Chat)
	if err != nil {
		return nil, nil, err
	}
	var void []session.Approval
	var out []channels.Outbound
	for i := range all {
		a := &all[i]
		if a.State != session.ApprovalOpen || a.Task != "" || !slices.Contains(turns, a.Call.Turn) || Lapsed(a, time.Now()) {
			continue
		}
		p.void(a, t.Principal.Sender, t.Info.ID, textTakenBack)
		o := t.Outbound(t.Info.ID+"/void/"+strconv.Itoa(len(out)), textTakenBack, "")
		o.Finishes = a.Question
		void, out = append(void, *a), append(out, o)
	}
	return void, out, nil
}
