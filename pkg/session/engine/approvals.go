package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"parley/pkg/session"
	"parley/pkg/session/engine/table"
)

// putApprovals writes questions and grants of a turn's chat.
func putApprovals(t *table.Tx, approvals []session.Approval, grants []session.Grant) error {
	for i := range approvals {
		if err := t.Put(table.Approvals, table.IDKey(approvals[i].ID), &approvals[i]); err != nil {
			return err
		}
		t.Added++
	}
	for i := range grants {
		if err := t.Put(table.Grants, table.IDKey(grants[i].ID), &grants[i]); err != nil {
			return err
		}
		t.Added++
	}
	return nil
}

// Approval finds one question.
func (s approvals) Approval(_ context.Context, id string) (session.Approval, error) {
	var a session.Approval
	err := s.e.view(func(t *table.Tx) error {
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

// Grants returns what was allowed in advance in a chat, or in all.
func (s approvals) Grants(ctx context.Context, chat string) ([]session.Grant, error) {
	out, err := inChat(ctx, s.e, table.Grants, func(g *session.Grant) bool { return chat == "" || g.Chat == chat })
	slices.SortStableFunc(out, func(a, b session.Grant) int { return a.Since.Compare(b.Since) })
	return out, err
}

// inChat reads the records that match. Damaged ones are set aside.
func inChat[T any](ctx context.Context, e *Engine, b table.Bucket, match func(*T) bool) ([]T, error) {
	var out []T
	var bad []*table.RecordError
	err := e.view(func(t *table.Tx) error {
		bad = table.Collect(t, b, func(rec *T) {
			if match(rec) {
				out = append(out, *rec)
			}
		})
		return nil
	})
	e.setAsideLater(ctx, bad)
	return out, err
}

// RevokeGrant ends a grant.
func (s approvals) RevokeGrant(ctx context.Context, id string) (session.Grant, error) {
	var g session.Grant
	err := s.e.write(ctx, func(t *table.Tx) error {
		rec, err := table.Get[session.Grant](t, table.Grants, table.IDKey(id))
		if err != nil {
			return fmt.Errorf("grant %s: %w", id, err)
		}
		g = *rec
		return t.Delete(table.Grants, table.IDKey(id))
	})
	return g, err
}

// forgetApprovals deletes the questions and grants of chats.
func forgetApprovals(t *table.Tx, chats []uint64) error {
	of := make(map[string]bool, len(chats))
	for _, n := range chats {
		of[table.ChatID(n)] = true
	}
	var keys []hand
	t.Each(table.Approvals, nil, func(k, _ []byte) bool {
		if a, err := table.Get[session.Approval](t, table.Approvals, k); err == nil && of[a.Chat] {
			keys = append(keys, hand{table.Approvals, bytes.Clone(k)})
		}
		return true
	})
	t.Each(table.Grants, nil, func(k, _ []byte) bool {
		if g, err := table.Get[session.Grant](t, table.Grants, k); err == nil && of[g.Chat] {
			keys = append(keys, hand{table.Grants, bytes.Clone(k)})
		}
		return true
	})
	for _, h := range keys {
		if err := t.Delete(h.bucket, h.key); err != nil {
			return err
		}
	}
	return nil
}
