package admin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"parley/pkg/audit"
	"parley/pkg/session/bolt"
)

// AuditDir is the folder of the audit log in a state folder.
func AuditDir(stateDir string) string { return filepath.Join(stateDir, "audit") }

// AuditKinds are the kinds of rows that there are.
func AuditKinds() []string {
	return []string{"start", "stop", "begin", "call", "refused", "approval", "grant", "link", "operator", "audit"}
}

// VerifyAudit checks the audit log from a row on, beside a running gateway and without
// one. A log without rows is an error where the store was used, because each start
// writes a row.
func VerifyAudit(ctx context.Context, stateDir string, from uint64) (audit.Report, error) {
	r, err := audit.Verify(ctx, AuditDir(stateDir), from)
	if err != nil {
		return r, unreadable(stateDir, err)
	}
	if r.Rows > 0 {
		return r, nil
	}
	there, err := bolt.Exists(stateDir)
	switch {
	case err != nil:
		return r, StoreError(err)
	case there:
		return r, WithCode(CodeFailed,
			fmt.Errorf(textAuditGone, stateDir, AuditDir(stateDir)))
	}
	return r, nil
}

// AuditQuery selects rows of the audit log; "" and 0 select all.
type AuditQuery struct {
	Since time.Time
	// Chat is a chat's id, or CHANNEL:CHAT.
	Chat, Tool, Kind string
	// Last is the number of the newest rows.
	Last int
}

// ReadAudit returns the rows that a query selects, the oldest first. With an error the
// rows are those that can be read.
func ReadAudit(ctx context.Context, stateDir string, q AuditQuery) ([]audit.Row, error) {
	var rows []audit.Row
	var bad error
	err := audit.Read(ctx, AuditDir(stateDir), func(r audit.Row, err error) error {
		if err != nil {
			bad = errors.Join(bad, err)
			return nil
		}
		if q.takes(&r) {
			rows = append(rows, r)
		}
		if q.Last > 0 && len(rows) >= 2*q.Last {
			rows = append(rows[:0], rows[len(rows)-q.Last:]...)
		}
		return nil
	})
	if q.Last > 0 && len(rows) > q.Last {
		rows = rows[len(rows)-q.Last:]
	}
	if err = errors.Join(err, bad); err != nil {
		return rows, unreadable(stateDir, err)
	}
	return rows, nil
}

func (q *AuditQuery) takes(r *audit.Row) bool {
	return !r.Time.Before(q.Since) &&
		(q.Chat == "" || q.Chat == r.Chat || q.Chat == r.Channel+":"+r.Chat) &&
		(q.Tool == "" || q.Tool == r.Tool) &&
		(q.Kind == "" || q.Kind == string(r.Kind))
}

// PlaceOfRow names the chat of a row.
func PlaceOfRow(r *audit.Row) string {
	s := r.Channel
	if r.Account != "" {
		s += "/" + r.Account
	}
	if r.Chat != "" {
		s += ":" + r.Chat
	}
	if r.Thread != "" {
		s += "#" + r.Thread
	}
	return s
}
