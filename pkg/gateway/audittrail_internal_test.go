package gateway

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/audit"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
	"parley/pkg/tools"
)

// TestHarmIsWrittenDownFirst: a call that deletes runs only with a row on the disk, one
// that reads runs in any case, and the record holds no arguments.
func TestHarmIsWrittenDownFirst(t *testing.T) {
	t.Parallel()
	cfg := config.Default(t.TempDir())
	trail, err := openAuditTrail(cfg.StateDir, policy.NewRedactor("hunter2hunter2").Redact, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	dir := admin.AuditDir(cfg.StateDir)
	r := tools.NewToolRegistryWith(tools.Options{Auditor: trail})
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
	ctx := tools.WithInvocation(t.Context(),
		tools.Invocation{Channel: "telegram", Account: "7", Chat: "42", Thread: "3", Sender: "9", Turn: "turn", CallID: "c1"})
	args := map[string]any{"path": "private words"}
	if res := r.Execute(ctx, "delete_it", args); res.IsError {
		t.Fatal(res.ForLLM)
	}
	if res := r.Execute(ctx, "read_it", args); !res.IsError {
		t.Fatal(res.ForLLM)
	}
	if err := trail.close(); err != nil {
		t.Fatal(err)
	}
	if res := r.Execute(ctx, "delete_it", args); !strings.Contains(res.ForLLM, "the audit log cannot be written") || deleted != 1 {
		t.Errorf("without a row: %s, run %d times", res.ForLLM, deleted)
	}
	if res := r.Execute(ctx, "read_it", args); !strings.Contains(res.ForLLM, "out of bounds") {
		t.Errorf("without a row: %s", res.ForLLM)
	}
	var got []string
	err = audit.Read(t.Context(), dir, func(r audit.Row, err error) error {
		got = append(got,
			strings.Join([]string{string(r.Kind), admin.PlaceOfRow(&r), r.Sender, r.Turn, r.Call, r.Tool, r.Outcome, r.Detail}, "|"))
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
