package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"parley/pkg/session"
)

// putApprovals writes questions and grants of a turn's chat.
func (t *tx) putApprovals(approvals []session.Approval, grants []session.Grant) error {
	for i := range approvals {
		if err := t.put(bkApprovals, idKey(approvals[i].ID), &approvals[i]); err != nil {
			return err
		}
		t.added++
	}
	for i := range grants {
		if err := t.put(bkGrants, idKey(grants[i].ID), &grants[i]); err != nil {
			return err
		}
		t.added++
	}
	return nil
}

// Approval finds one question.
func (s approvals) Approval(_ context.Context, id string) (session.Approval, error) {
	var a session.Approval
	err := s.e.view(func(t *tx) error {
		rec, err := get[session.Approval](t, bkApprovals, idKey(id))
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
	out, err := inChat(ctx, s.e, bkApprovals, func(a *session.Approval) bool { return chat == "" || a.Chat == chat })
	slices.SortStableFunc(out, func(a, b session.Approval) int { return a.Asked.Compare(b.Asked) })
	return out, err
}

// Grants returns what was allowed in advance in a chat, or in all.
func (s approvals) Grants(ctx context.Context, chat string) ([]session.Grant, error) {
	out, err := inChat(ctx, s.e, bkGrants, func(g *session.Grant) bool { return chat == "" || g.Chat == chat })
	slices.SortStableFunc(out, func(a, b session.Grant) int { return a.Since.Compare(b.Since) })
	return out, err
}

// inChat reads the records that match. Damaged ones are set aside.
func inChat[T any](ctx context.Context, e *Engine, b bucket, match func(*T) bool) ([]T, error) {
	var out []T
	var bad []*recordError
	err := e.view(func(t *tx) error {
		bad = collect(t, b, func(rec *T) {
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
	err := s.e.write(ctx, func(t *tx) error {
		rec, err := get[session.Grant](t, bkGrants, idKey(id))
		if err != nil {
			return fmt.Errorf("grant %s: %w", id, err)
		}
		g = *rec
		return t.del(bkGrants, idKey(id))
	})
	return g, err
}

// forgetApprovals deletes the questions and grants of chats.
func (t *tx) forgetApprovals(chats []uint64) error {
	of := make(map[string]bool, len(chats))
	for _, n := range chats {
		of[chatID(n)] = true
	}
	var keys []hand
	t.each(bkApprovals, nil, func(k, _ []byte) bool {
		if a, err := get[session.Approval](t, bkApprovals, k); err == nil && of[a.Chat] {
			keys = append(keys, hand{bkApprovals, bytes.Clone(k)})
		}
		return true
	})
	t.each(bkGrants, nil, func(k, _ []byte) bool {
		if g, err := get[session.Grant](t, bkGrants, k); err == nil && of[g.Chat] {
			keys = append(keys, hand{bkGrants, bytes.Clone(k)})
		}
		return true
	})
	for _, h := range keys {
		if err := t.del(h.bucket, h.key); err != nil {
			return err
		}
	}
	return nil
}
