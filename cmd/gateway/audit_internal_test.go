package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/audit"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
	"parley/pkg/tools"
)

// TestHarmIsWrittenDownFirst: what deletes runs only with a row on the disk, what
// reads runs in any case, and nothing of the arguments is in the record.
func TestHarmIsWrittenDownFirst(t *testing.T) {
	t.Parallel()
	cfg := config.Default(t.TempDir())
	a := &App{cfg: cfg, log: zerolog.Nop(), redactor: policy.NewRedactor("hunter2hunter2")}
	if err := a.openAudit(); err != nil {
		t.Fatal(err)
	}
	dir := admin.AuditDir(cfg.StateDir)
	r := tools.NewToolRegistryWith(tools.Options{Auditor: auditor{a}})
	begun := func() (rows int) {
		_ = audit.Read(t.Context(), dir, func(r audit.Row, err error) error {
			if r.Kind == audit.KindBegin && err == nil {
				rows++
			}
			return err
		})
		return rows
	}
	type in struct {
		Path string `json:"path"`
	}
	deleted := 0
	r.Register(tools.New("delete_it", "Deletes.", tools.Annotations{Destructive: true}, func(context.Context, in) (any, error) {
		if deleted++; begun() != deleted {
			t.Error("it runs before its row is there")
		}
		return "", nil
	}))
	r.Register(tools.New("read_it", "Reads.", tools.Annotations{ReadOnly: true}, func(context.Context, in) (any, error) {
		return nil, tools.Fail(tools.ErrSecurityViolation, "hunter2hunter2 is out of bounds", nil)
	}))
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Channel: "telegram", Account: "7", Chat: "42", Thread: "3", Sender: "9", Turn: "turn", CallID: "c1"})
	args := map[string]any{"path": "private words"}
	if res := r.Execute(ctx, "delete_it", args); res.IsError {
		t.Fatal(res.ForLLM)
	}
	if res := r.Execute(ctx, "read_it", args); !res.IsError {
		t.Fatal(res.ForLLM)
	}
	if err := a.audit.Close(); err != nil {
		t.Fatal(err)
	}
	if res := r.Execute(ctx, "delete_it", args); !strings.Contains(res.ForLLM, "the audit log cannot be written") || deleted != 1 {
		t.Errorf("without a row: %s, run %d times", res.ForLLM, deleted)
	}
	if res := r.Execute(ctx, "read_it", args); !strings.Contains(res.ForLLM, "out of bounds") {
		t.Errorf("without a row: %s", res.ForLLM)
	}
	var got []string
	err := audit.Read(t.Context(), dir, func(r audit.Row, err error) error {
		got = append(got, strings.Join([]string{string(r.Kind), admin.PlaceOfRow(&r), r.Sender, r.Turn, r.Call, r.Tool, r.Outcome, r.Detail}, "|"))
		return err
	})
	want := []string{
		"begin|telegram/7:42#3|9|turn|c1|delete_it||", "call|telegram/7:42#3|9|turn|c1|delete_it|ok|",
		"call|telegram/7:42#3|9|turn|c1|read_it|security_violation|[redacted] is out of bounds",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
}

func TestSinceTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	for s, want := range map[string]time.Time{
		"":                     {},
		"90m":                  now.Add(-90 * time.Minute),
		"-90m":                 now.Add(-90 * time.Minute),
		"2026-01-31":           time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local),
		"2026-01-31 08:00:00":  time.Date(2026, 1, 31, 8, 0, 0, 0, time.Local),
		"2026-01-31T08:00:00Z": time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC),
	} {
		if got, err := sinceTime(s, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	if _, err := sinceTime("yesterday", now); err == nil {
		t.Error("yesterday is a time")
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	if got := printable("a\x1b[2J\n\"é\u202e"); got != `a\x1b[2J\n"é\u202e` {
		t.Errorf("got %s", got)
	}
}
