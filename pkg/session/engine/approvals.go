package engine

import (
	"context"
	"fmt"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// Approval finds one question.
func (s approvals) Approval(_ context.Context, id string) (session.Approval, error) {
	var a session.Approval
	err := s.e.w.View(func(t *table.Tx) error {
		rec, err := table.Get[session.Approval](t, table.Approvals, table.IDKey(id))
		if err != nil {
			return fmt.Errorf("approval %s: %w", id, err)
		}
		a = *rec
		return nil
	})
	return a, err
}

// ApprovalList returns the questions of a chat, or of all.
func (s approvals) ApprovalList(ctx context.Context, chat string) ([]session.Approval, error) {
	out, err := inChat(ctx, s.e, table.Approvals, func(a *session.Approval) bool { return chat == "" || a.Chat == chat })
	slices.SortStableFunc(out, func(a, b session.Approval) int { return a.Asked.Compare(b.Asked) })
	return out, err
}

// Grants returns the grants of a chat, or of all.
func (s approvals) Grants(ctx context.Context, chat string) ([]session.Grant, error) {
	out, err := inChat(ctx, s.e, table.Grants, func(g *session.Grant) bool { return chat == "" || g.Chat == chat })
	slices.SortStableFunc(out, func(a, b session.Grant) int { return a.Since.Compare(b.Since) })
	return out, err
}

// inChat reads the records that match. Damaged ones are set aside.
func inChat[T any](ctx context.Context, e *Engine, b table.Bucket, match func(*T) bool) ([]T, error) {
	var out []T
	var bad []*table.RecordError
	err := e.w.View(func(t *table.Tx) error {
		bad = table.Collect(t, b, func(rec *T) {
			if match(rec) {
				out = append(out, *rec)
			}
		})
		return nil
	})
	e.w.SetAside(ctx, bad)
	return out, err
}

// RevokeGrant ends a grant.
func (s approvals) RevokeGrant(ctx context.Context, id string) (session.Grant, error) {
	var g session.Grant
	err := s.e.w.Do(ctx, func(t *table.Tx) error {
		rec, err := table.Get[session.Grant](t, table.Grants, table.IDKey(id))
		if err != nil {
			return fmt.Errorf("grant %s: %w", id, err)
		}
		g = *rec
		return t.Delete(table.Grants, table.IDKey(id))
	})
	return g, err
}
