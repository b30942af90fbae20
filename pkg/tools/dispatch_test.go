package tools_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rs/zerolog"

	"parley/pkg/tools"
)

func withRun(run func(ctx context.Context, args map[string]any) *tools.ToolResult) *tools.ToolRegistry {
	r := tools.NewToolRegistry()
	r.Register(fn{name: "t", run: run})
	return r
}

func TestResults(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	for name, tc := range map[string]struct{ give, want *tools.ToolResult }{
		"as it is": {
			&tools.ToolResult{ForLLM: "a", ForUser: "b", Silent: true},
			&tools.ToolResult{ForLLM: "a", ForUser: "b", Silent: true},
		},
		"nil":   {nil, &tools.ToolResult{ForLLM: "(no output)"}},
		"empty": {tools.NewToolResult(""), &tools.ToolResult{ForLLM: "(no output)"}},
		"empty with an error": {
			(&tools.ToolResult{IsError: true}).WithError(cause),
			&tools.ToolResult{ForLLM: "disk full", IsError: true, Err: cause},
		},
		"own error text":       {tools.ErrorResult("no").WithError(cause), &tools.ToolResult{ForLLM: "no", IsError: true, Err: cause}},
		"invalid UTF-8":        {tools.NewToolResult("a\xffb"), &tools.ToolResult{ForLLM: "a\uFFFDb"}},
		"invalid for the user": {&tools.ToolResult{ForLLM: "a", ForUser: "\xc3"}, &tools.ToolResult{ForLLM: "a", ForUser: "\uFFFD"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := withRun(func(context.Context, map[string]any) *tools.ToolResult { return tc.give }).Execute(t.Context(), "t", nil)
			if d := cmp.Diff(tc.want, got, cmpopts.EquateErrors()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOutputIsCut(t *testing.T) {
	t.Parallel()
	for _, size := range []int{999, 1000, 1001, 5000, 100_000, 3_000_000} {
		r := tools.NewToolRegistry()
		text := "HEAD" + strings.Repeat("é", (size-8)/2) + "TAIL"
		r.Register(fn{name: "t", annotations: tools.Annotations{MaxOutput: 1000}, run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.UserResult(text)
		}})
		res := r.Execute(t.Context(), "t", nil)
		for _, got := range []string{res.ForLLM, res.ForUser} {
			if len(text) <= 1000 {
				if got != text {
					t.Errorf("%d bytes were changed", size)
				}
				continue
			}
			if len(got) > 1000 || len(got) < 900 || !utf8.ValidString(got) {
				t.Errorf("%d bytes became %d, valid: %v", size, len(got), utf8.ValidString(got))
			}
			var lost int
			if _, err := fmt.Sscanf(got[strings.Index(got, "\n[")+1:], "[... %d bytes left out here ...]", &lost); err != nil {
				t.Errorf("no note in %q", got)
			}
			note := len(fmt.Sprintf("\n[... %d bytes left out here ...]\n", lost))
			// A cut within a character drops its other bytes too.
			if kept := len(got) - note; kept+lost > len(text) || kept+lost < len(text)-8 {
				t.Errorf("%d bytes: %d kept and %d left out", len(text), kept, lost)
			}
			if !strings.HasPrefix(got, "HEAD") || !strings.HasSuffix(got, "TAIL") {
				t.Errorf("head or tail is gone: %q", got)
			}
		}
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-t0ken-0123456789"
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") }
	// Wherever the coarse and the fine cut fall, no part of a secret shows.
	for shift := range 24 {
		r := tools.NewToolRegistryWith(tools.Options{Redact: redact, MaxOutput: 500})
		r.Register(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.UserResult(strings.Repeat(".", shift) + strings.Repeat(secret+" ", 60_000))
		}})
		res := r.Execute(t.Context(), "t", nil)
		if strings.Contains(res.ForLLM+res.ForUser, "s3cr3t") || strings.Contains(res.ForLLM, "0123456789") {
			t.Fatalf("shift %d: %q", shift, res.ForLLM)
		}
		if !strings.Contains(res.ForLLM, "[redacted]") {
			t.Fatalf("nothing of %q is left", res.ForLLM)
		}
	}
	r := tools.NewToolRegistryWith(tools.Options{Redact: redact})
	r.Register(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult {
		return (&tools.ToolResult{IsError: true}).WithError(errors.New("no access with " + secret))
	}})
	if res := r.Execute(t.Context(), "t", nil); strings.Contains(res.ForLLM, secret) {
		t.Error(res.ForLLM)
	}
}

func TestPanicIsAResult(t *testing.T) {
	t.Parallel()
	logs := &logBuffer{}
	r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)})
	r.Register(fn{name: "panics", run: func(context.Context, map[string]any) *tools.ToolResult { panic("at /secret/path") }})
	r.Register(fn{name: "exits", run: func(context.Context, map[string]any) *tools.ToolResult { runtime.Goexit(); return nil }})
	r.Register(&nestingTool{lockedTool: lockedTool{seen: map[string]int{}}, run: func(context.Context) { panic("held") }})
	for _, name := range []string{"panics", "exits", "report", "report"} {
		f := wantFailure(t, r.Execute(t.Context(), name, nil), tools.ErrExecutionFailed)
		if strings.Contains(f.Message, "goroutine") || strings.Contains(f.Message, "/secret") {
			t.Errorf("the model sees %q", f.Message)
		}
	}
	if !strings.Contains(logs.String(), "dispatch_test.go") {
		t.Error("the log has no stack")
	}
}

// refuses is an authorizer with one answer.
type refuses struct {
	err  error
	seen *tools.ToolRequest
}

func (a refuses) AuthorizeTool(_ context.Context, req tools.ToolRequest) error {
	if a.seen != nil {
		*a.seen = req
	}
	return a.err
}

func TestChecksComeInAFixedOrder(t *testing.T) {
	t.Parallel()
	strict := map[string]any{
		"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}},
		"required": []string{"n"}, "additionalProperties": false,
	}
	ran := false
	r := tools.NewToolRegistryWith(tools.Options{Authorizer: refuses{err: errors.New("not today")}})
	for _, name := range []string{"t", "off"} {
		r.Register(fn{name: name, parameters: strict, run: func(context.Context, map[string]any) *tools.ToolResult {
			ran = true
			return nil
		}})
	}
	r.SetEnabled("off", false)
	view := r.Filter(func(name string, _ tools.Annotations) bool { return name == "nothing" })
	low := tools.WithInvocation(t.Context(), tools.Invocation{Level: tools.LevelRead})
	bad, good := map[string]any{"n": "x"}, map[string]any{"n": 1}
	for name, tc := range map[string]struct {
		ctx  context.Context
		r    *tools.ToolRegistry
		tool string
		args map[string]any
		want tools.ErrorType
		word string
	}{
		"exists, before all":         {low, r, "none", bad, tools.ErrNotFound, `"none"`},
		"a look-alike is not it":     {low, r, "\u0442", bad, tools.ErrNotFound, "no tool"},
		"another case is not it":     {low, r, "T", good, tools.ErrNotFound, "no tool"},
		"enabled, before offered":    {low, view, "off", bad, tools.ErrDisabled, "off"},
		"offered, before arguments":  {low, view, "t", bad, tools.ErrPermissionDenied, "not be used here"},
		"arguments, before level":    {low, r, "t", bad, tools.ErrInvalidArguments, `argument "n" must be a whole number, not a string`},
		"level, before authorizer":   {low, r, "t", good, tools.ErrPermissionDenied, "level write"},
		"authorizer, before running": {t.Context(), r, "t", good, tools.ErrPermissionDenied, "not today"},
	} {
		if f := wantFailure(t, tc.r.Execute(tc.ctx, tc.tool, tc.args), tc.want); !strings.Contains(f.Message, tc.word) {
			t.Errorf("%s: %q has no word on %q", name, f.Message, tc.word)
		}
	}
	if ran {
		t.Error("a refused call ran")
	}
}

func TestAuthorizer(t *testing.T) {
	t.Parallel()
	var seen tools.ToolRequest
	r := tools.NewToolRegistryWith(tools.Options{Authorizer: refuses{
		err: tools.Fail(tools.ErrApprovalDenied, "no", map[string]any{"by": "the owner"}), seen: &seen,
	}})
	r.Register(fn{name: "t", annotations: tools.Annotations{Destructive: true}})
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Sender: "7", Level: tools.LevelExec})
	f := wantFailure(t, r.ExecuteWithContext(ctx, "t", map[string]any{"a": 1}, "slack", "C1", nil), tools.ErrApprovalDenied)
	if f.Details["by"] != "the owner" {
		t.Errorf("details %v", f.Details)
	}
	want := tools.ToolRequest{
		Tool: "t", Arguments: map[string]any{"a": 1},
		Annotations: tools.Annotations{Destructive: true, Level: tools.LevelWrite, Timeout: 30 * time.Second, MaxOutput: 64 << 10},
		Invocation:  tools.Invocation{Sender: "7", Level: tools.LevelExec, Channel: "slack", Chat: "C1"},
		Examination: tools.Examination{Destructive: true},
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	heeds := func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		<-ctx.Done()
		return tools.ErrorResult(ctx.Err().Error()).WithError(ctx.Err())
	}
	for name, tc := range map[string]struct {
		annotations tools.Annotations
		run         func(ctx context.Context, args map[string]any) *tools.ToolResult
		after       time.Duration
		want        string
	}{
		"default":      {tools.Annotations{}, heeds, 30 * time.Second, `"type":"timeout"`},
		"its own time": {tools.Annotations{Timeout: 2 * time.Second}, heeds, 2 * time.Second, `"details":{"timeout":2}`},
		"says itself": {tools.Annotations{}, func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			<-ctx.Done()
			return tools.Fail(tools.ErrTimeout, "killed", map[string]any{"output": "half"}).Result()
		}, 30 * time.Second, "half"},
		"ends well after all": {tools.Annotations{}, func(ctx context.Context, _ map[string]any) *tools.ToolResult {
			<-ctx.Done()
			return tools.NewToolResult("done after all")
		}, 30 * time.Second, "done after all"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := tools.NewToolRegistry()
				r.Register(fn{name: "t", annotations: tc.annotations, run: tc.run})
				began := time.Now()
				res := r.Execute(t.Context(), "t", nil)
				if !strings.Contains(res.ForLLM, tc.want) || time.Since(began) != tc.after {
					t.Errorf("after %v: %+v", time.Since(began), res)
				}
			})
		})
	}
}

func TestACallThatNeverEndsIsLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logs := &logBuffer{}
		r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)})
		release := make(chan struct{})
		r.Register(fn{name: "t", run: func(context.Context, map[string]any) *tools.ToolResult {
			<-release
			return tools.NewToolResult("late")
		}})
		stuck := 0
		for ; stuck < 100; stuck++ {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			began := time.Now()
			res := r.Execute(ctx, "t", nil)
			cancel()
			if strings.Contains(res.ForLLM, string(tools.ErrBusy)) {
				break
			}
			wantFailure(t, res, tools.ErrInterrupted)
			if took := time.Since(began); took > 1100*time.Millisecond {
				t.Fatalf("given up after %v", took)
			}
		}
		if stuck == 0 || stuck > 20 {
			t.Errorf("%d calls were left behind", stuck)
		}
		close(release)
		synctest.Wait()
		if got := strings.Count(logs.String(), "a late result of a tool call was dropped"); got != stuck {
			t.Errorf("%d late results were logged, want %d", got, stuck)
		}
		if res := r.Execute(t.Context(), "t", nil); res.ForLLM != "late" {
			t.Errorf("once they have ended: %+v", res)
		}
	})
}

func TestLogNamesCallsAndNoArguments(t *testing.T) {
	t.Parallel()
	logs := &logBuffer{}
	r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)})
	r.Register(fn{name: "fails", run: func(_ context.Context, args map[string]any) *tools.ToolResult {
		return tools.ErrorResult("no " + args["x"].(string)).WithError(fmt.Errorf("cause %v", args["x"]))
	}})
	r.Register(fn{
		name:       "works",
		parameters: map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string"}}},
	})
	r.Register(&plainTool{})
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{CallID: "call_7"})
	args := map[string]any{"x": "CANARY"}
	r.Execute(ctx, "fails", args)
	r.Execute(ctx, "works", args)
	r.Execute(ctx, "works", map[string]any{"x": []any{"CANARY"}})
	ended := make(chan struct{})
	r.ExecuteWithContext(ctx, "report", args, "c", "CANARY", func(context.Context, *tools.ToolResult) { close(ended) })
	<-ended
	got := logs.String()
	if strings.Contains(got, "late result") {
		t.Errorf("a call that ended in time is logged as late: %s", got)
	}
	if strings.Contains(got, "CANARY") {
		t.Errorf("an argument is in the log: %s", got)
	}
	for _, want := range []string{
		"tool call failed", "tool call ended", "tool call refused", "goes on in the background",
		"background work ended", `"took"`, `"call":"call_7"`, `"tool":"report"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the log: %s", want, got)
		}
	}
}

func TestInvocation(t *testing.T) {
	t.Parallel()
	var seen tools.Invocation
	r := withRun(func(ctx context.Context, _ map[string]any) *tools.ToolResult {
		seen = tools.InvocationFrom(ctx)
		return nil
	})
	r.Execute(t.Context(), "t", nil)
	if seen != (tools.Invocation{}) {
		t.Errorf("outside a turn: %+v", seen)
	}
	base := tools.Invocation{Channel: "telegram", Chat: "1", Thread: "9", Turn: "u", Key: "u/1/0"}
	r.Execute(tools.WithInvocation(t.Context(), base), "t", nil)
	if seen != base {
		t.Errorf("in a turn: %+v", seen)
	}
}

func TestErrorShape(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	err := tools.Fail(tools.ErrSecurityViolation, "outside <the> workspace", map[string]any{"path": "../x"}).Because(cause)
	want := `{"error":true,"type":"security_violation","message":"outside <the> workspace","details":{"path":"../x"}}`
	if got := err.Result().ForLLM; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !errors.Is(err, cause) || err.Error() != "security_violation: outside <the> workspace" {
		t.Errorf("as an error: %v", err)
	}
	wantFailureText(t, tools.ErrorText(tools.ErrBusy, "m", map[string]any{"x": make(chan int)}), tools.ErrBusy)
}
