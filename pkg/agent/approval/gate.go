package approval

import (
	"context"
	"fmt"
	"slices"

	"parley/pkg/agent/turn"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// gate is the [tools.Gate] of a turn's loop: it lets a call pass, or puts the
// question for it.
type gate struct {
	t         *turn.Turn
	approvals *Approvals
}

var _ tools.Gate = (*gate)(nil)

// Pass says whether a call may run, or a person has to be asked.
func (g *gate) Pass(ctx context.Context, req tools.ToolRequest) error {
	if g.t.Input.Check != nil {
		if err := g.t.Input.Check(ctx, &req); err != nil {
			return err
		}
	}
	late := req.Covered && g.t.Provenance.TaintedSinceDecision(req.Invocation.CallID)
	g.marks(&req)
	if !req.Nested && turn.IsDecided(g.t, req.Invocation.Key) {
		if changed(g.t.Input.Decided, &req.Examination) {
			return tools.Fail(tools.ErrApprovalDenied, textCallChanged, nil)
		}
		return nil
	}
	if late && !turn.IsDecided(g.t, req.Invocation.Key) {
		return g.passLate(ctx, &req)
	}
	if req.Covered {
		return nil
	}
	deed := g.deed(req.Tool, &req.Annotations, &req.Examination)
	why := g.approvals.o.Rules.Asks(deed)
	if !why.Asks() {
		return nil
	}
	if deed.Grantable() {
		granted, err := g.granted(ctx, req.Tool)
		if err != nil || granted {
			return err
		}
	}
	return fmt.Errorf("%s: %w", why.Text, tools.ErrAsk)
}

// marks notes of a call whether it brings content from outside, and where it goes.
func (g *gate) marks(req *tools.ToolRequest) {
	if !req.Nested && len(req.Examination.Steps) > 0 && !req.Examination.Brings {
		g.t.Provenance.BeginsComposed(req.Invocation.CallID, g.deed(req.Tool, &req.Annotations, &req.Examination))
	}
	if req.Examination.Taints || req.Examination.Brings {
		g.t.Provenance.Brings(req.Invocation.CallID)
	}
	if req.Examination.Destination != "" {
		g.t.Provenance.ChoosesAddress(req.Invocation.CallID)
	}
}

// passLate decides on a step of a call that has brought content from outside since the
// last question: with that knowledge its examination would have asked a person.
func (g *gate) passLate(ctx context.Context, req *tools.ToolRequest) error {
	step := DeedOf(req.Tool, &req.Annotations, &req.Examination, true, g.t.Provenance.Named)
	whole := g.t.Provenance.Composed(req.Invocation.CallID)
	why := g.approvals.o.Rules.Asks(step)
	if !why.Asks() || !g.approvals.o.Rules.Asks(whole).Asks() {
		return nil
	}
	if whole.Grantable() {
		granted, err := g.granted(ctx, whole.Tool)
		if err != nil || granted {
			return err
		}
	}
	return fmt.Errorf("%s: %w", why.Text, tools.ErrAsk)
}

func (g *gate) deed(tool string, an *tools.Annotations, ex *tools.Examination) policy.Deed {
	d := DeedOf(tool, an, ex, g.t.Provenance.Tainted(), g.t.Provenance.Named)
	if g.t.Provenance.Follows() {
		taintKept(&d, an, ex)
	}
	return d
}

// taintKept says of the parts of a deed that store words for later turns that untrusted content came in before.
func taintKept(d *policy.Deed, an *tools.Annotations, ex *tools.Examination) {
	d.Tainted = d.Tainted || an.Keeps || ex.Keeps
	for i := range ex.Steps {
		taintKept(&d.Steps[i], &ex.Steps[i].Annotations, &ex.Steps[i].Examination)
	}
}

// granted says whether everybody for whom the turn runs has allowed the tool here.
func (g *gate) granted(ctx context.Context, tool string) (bool, error) {
	if g.t.Provenance.SeveralPeople() {
		return false, nil
	}
	grants, err := g.approvals.Grants(ctx, g.t)
	return slices.ContainsFunc(grants, func(one session.Grant) bool {
		return one.Tool == tool && one.Person.ID == g.t.Principal.Sender.ID
	}), err
}
