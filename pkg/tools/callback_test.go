package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/tools"
)

// backed leaves its work to Background.
type backed struct {
	cb   tools.AsyncCallback
	work func()
}

func (*backed) Name() string                         { return "backed" }
func (*backed) Description() string                  { return "" }
func (*backed) Parameters() map[string]any           { return nil }
func (b *backed) SetCallback(cb tools.AsyncCallback) { b.cb = cb }
func (b *backed) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	return tools.Background(ctx, b.cb, "started", func(context.Context) *tools.ToolResult {
		b.work()
		return nil
	})
}

// TestACallbackIsNeverNil: without a recipient, a callback is dropped, and the log says
// so; work that Background would start is not begun.
func TestACallbackIsNeverNil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		logs := &logBuffer{}
		r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)})
		r.Register(&plainTool{})
		r.Register(&backed{work: func() { t.Error("it works for nobody") }})
		r.Register(tools.NewAsync("careful", "", tools.Annotations{}, func(context.Context, struct{}) (tools.Examination, error) {
			return tools.Examination{}, nil
		}, func(_ context.Context, _ struct{}, cb tools.AsyncCallback) (any, error) {
			go cb(nil, tools.NewToolResult("done")) //nolint:contextcheck // a callback takes nil for the work's own
			return nil, errors.New("it calls back at once")
		}))
		r.Register(fn{
			name: "outer", annotations: tools.Annotations{Composed: true},
			run: func(ctx context.Context, args map[string]any) *tools.ToolResult {
				return tools.CallTool(ctx, args["tool"].(string), nil)
			},
		})
		if res := r.ExecuteWithContext(t.Context(), "report", nil, "telegram", "A", nil); !res.Async {
			t.Errorf("directly: %+v", res)
		}
		for _, name := range []string{"careful", "backed"} {
			wantFailure(t, r.Execute(t.Context(), name, nil), tools.ErrExecutionFailed)
		}
		for _, name := range []string{"report", "careful", "backed"} {
			wantFailure(t, r.Execute(t.Context(), "outer", map[string]any{"tool": name}), tools.ErrExecutionFailed)
		}
		synctest.Wait()
		if n := strings.Count(logs.String(), "a callback was dropped"); n != 4 {
			t.Errorf("%d callbacks dropped: %s", n, logs)
		}
	})
}

// TestExecuteAndWait: the result of a call that goes on is that of its callback.
func TestExecuteAndWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := tools.NewToolRegistry()
		work := func(name string, took time.Duration) {
			r.Register(tools.NewAsync(name, "", tools.Annotations{BackgroundLimit: time.Minute},
				func(context.Context, struct{}) (tools.Examination, error) {
					return tools.Examination{}, nil
				}, func(ctx context.Context, _ struct{}, cb tools.AsyncCallback) (any, error) {
					return tools.Background(ctx, cb, "started", func(ctx context.Context) *tools.ToolResult {
						select {
						case <-time.After(took):
							return tools.NewToolResult("done in " + tools.InvocationFrom(ctx).Chat)
						case <-ctx.Done():
							return nil
						}
					}), nil
				}))
		}
		work("short", 50*time.Second)
		work("long", time.Hour)
		r.Register(fn{name: "plain"})
		if got := r.ExecuteAndWait(t.Context(), "short", nil, "telegram", "A"); got.ForLLM != "done in A" || got.Async {
			t.Errorf("short: %+v", got)
		}
		if got := r.ExecuteAndWait(t.Context(), "plain", nil, "", ""); got.ForLLM != "plain ran" {
			t.Errorf("plain: %+v", got)
		}
		began := time.Now()
		f := wantFailure(t, r.ExecuteAndWait(t.Context(), "long", nil, "", ""), tools.ErrTimeout)
		if took := time.Since(began); took != time.Minute || !strings.Contains(f.Message, "1m0s") {
			t.Errorf("long: %s after %s", f.Message, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantFailure(t, r.ExecuteAndWait(ctx, "long", nil, "", ""), tools.ErrInterrupted)
	})
}

// settable has each kind of field that a copy copies.
type settable struct {
	plainTool
	f    func() string
	any  any
	list [2]struct{ n float64 }
	to   *int
}

// TestChangedFieldsAreSaidOnce, with the cure.
func TestChangedFieldsAreSaidOnce(t *testing.T) {
	t.Parallel()
	const cure = "register it by RegisterFunc"
	for name, change := range map[string]func(*settable){
		"nothing": nil,
		"a text":  func(s *settable) { s.chat = "x" },
		"a func":  func(s *settable) { s.f = func() string { return "other" } },
		"an any":  func(s *settable) { s.any = 2 },
		"a part":  func(s *settable) { s.list[1].n = 1 },
		"a way":   func(s *settable) { s.to = new(int) },
		"a set":   func(s *settable) { s.SetContext("a", "b") },
	} {
		logs := &logBuffer{}
		r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)})
		tool := &settable{f: func() string { return "one" }, any: 1}
		r.Register(tool)
		want := 0
		for range 3 {
			r.Execute(t.Context(), "report", nil)
			if change != nil {
				change(tool)
				want = 1
			}
		}
		if n := strings.Count(logs.String(), cure); n != want {
			t.Errorf("%s: said %d times: %s", name, n, logs)
		}
	}
}

// TestToolsThatSayNothingOfThemselves are said in the log, with the level that they need.
func TestToolsThatSayNothingOfThemselves(t *testing.T) {
	t.Parallel()
	logs := &logBuffer{}
	r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.InfoLevel)})
	r.Register(fn{name: "annotated"})
	r.Register(tools.Broken("broken", errors.New("no")))
	if got := logs.String(); strings.Contains(got, "implement Annotations") {
		t.Error(got)
	}
	r.Register(&plainTool{})
	if got := logs.String(); !strings.Contains(got, "implement Annotations") || !strings.Contains(got, `"needs":"write"`) || !strings.Contains(got, `"tool":"report"`) {
		t.Error(got)
	}
}

// TestTheReasonOfAFailureIsInItsLine of the log, redacted and cut.
func TestTheReasonOfAFailureIsInItsLine(t *testing.T) {
	t.Parallel()
	logs := &logBuffer{}
	r := tools.NewToolRegistryWith(tools.Options{
		Log: logs.logger(zerolog.InfoLevel), Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
	})
	r.Register(fn{name: "fails", run: func(context.Context, map[string]any) *tools.ToolResult {
		return tools.ErrorResult("it failed").WithError(errors.New("disk hunter2 is full " + strings.Repeat("x", 2000)))
	}})
	r.Execute(t.Context(), "fails", nil)
	for line := range strings.Lines(logs.String()) {
		if strings.Contains(line, "tool call failed") {
			if !strings.Contains(line, `"level":"warn"`) || !strings.Contains(line, `"cause":"disk *** is full x`) || len(line) > 1000 {
				t.Error(line)
			}
			return
		}
	}
	t.Error(logs)
}

// TestTheReasonOfAFailureHasNoArguments, and is there all the same.
func TestTheReasonOfAFailureHasNoArguments(t *testing.T) {
	t.Parallel()
	const told = "it repeats an argument; the level debug shows it"
	long := strings.Repeat("a secret plan ", 10)
	for cause, want := range map[string]string{
		"plan.txt: there is no such file":      "[…]: there is no such file",
		"plan.txt.old and plan.txt: no":        "[…] and […]: no",
		"open /a/plan.txt/inner: no such file": "open /a/[…]/inner: no such file",
		"all of it: " + long:                   "all of it: […]",
		"a part of it: " + long[:40]:           told,
		"abc is no word":                       "abc is no word", // too short to tell from others
		"the disk is full":                     "the disk is full",
		"sk-live-77 is refused":                "*** is refused", // an argument within a secret
		"with sk-live-77, to be kept: no":      "[…]: no",
	} {
		logs := &logBuffer{}
		r := tools.NewToolRegistryWith(tools.Options{
			Log: logs.logger(zerolog.InfoLevel), Redact: func(s string) string { return strings.ReplaceAll(s, "sk-live-77", "***") },
		})
		r.Register(fn{name: "fails", parameters: map[string]any{"type": "object"}, run: func(context.Context, map[string]any) *tools.ToolResult {
			return tools.ErrorResult("it failed").WithError(errors.New(cause))
		}})
		r.Execute(t.Context(), "fails", map[string]any{
			"path":  "plan.txt",
			"lines": []any{map[string]any{"old": "plan.txt.old", "text": long}},
			"word":  "abc",
			"part":  "live",
			"key":   "with sk-live-77, to be kept",
		})
		if !strings.Contains(logs.String(), `"cause":"`+want+`"`) {
			t.Errorf("%q: want %q in %s", cause, want, logs)
		}
	}
}

// TestTheReasonOfBackgroundWork that failed is in the line of its end.
func TestTheReasonOfBackgroundWork(t *testing.T) {
	t.Parallel()
	logs := &logBuffer{}
	r := tools.NewToolRegistryWith(tools.Options{Log: logs.logger(zerolog.WarnLevel)})
	r.Register(tools.NewAsync("later", "", tools.Annotations{BackgroundLimit: time.Minute},
		func(context.Context, struct{ Path string }) (tools.Examination, error) {
			return tools.Examination{}, nil
		}, func(ctx context.Context, _ struct{ Path string }, cb tools.AsyncCallback) (any, error) {
			return tools.Background(ctx, cb, "started", func(context.Context) *tools.ToolResult {
				return tools.ErrorResult("it failed").WithError(errors.New("plan.txt: the disk is full"))
			}), nil
		}))
	r.ExecuteAndWait(t.Context(), "later", map[string]any{"Path": "plan.txt"}, "", "")
	if got := logs.String(); !strings.Contains(got, `"level":"warn"`) || !strings.Contains(got, `"cause":"[…]: the disk is full"`) {
		t.Errorf("the log: %s", got)
	}
}
