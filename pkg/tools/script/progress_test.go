package script_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/pkg/providers"
	"parley/pkg/tools"
)

func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "probe", anything, "#!/bin/sh\necho 'progress: started' >&2\nexec sleep 60\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	start := time.Now()
	watch(t, w, ctx, func(string) { cancel() })
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}

// listener takes the progress lines out of a loop's events.
type listener struct {
	tools.Journal

	mu    sync.Mutex
	told  []string
	onOne func(string)
}

func (l *listener) Answered(context.Context, int, *providers.LLMResponse) error { return nil }
func (l *listener) Begin(context.Context, tools.Call) error                     { return nil }
func (l *listener) End(context.Context, tools.Call, *tools.ToolResult) error    { return nil }
func (l *listener) Steer(context.Context) ([]providers.Message, error)          { return nil, nil }

func (l *listener) Event(e tools.Event) {
	if e.Kind != tools.EventProgress {
		return
	}
	l.mu.Lock()
	l.told = append(l.told, e.Text)
	l.mu.Unlock()
	if l.onOne != nil {
		l.onOne(e.Text)
	}
}

// caller is a model that calls probe once.
type caller struct{}

func (caller) Chat(
	_ context.Context, messages []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	if messages[len(messages)-1].Role == providers.RoleTool {
		return &providers.LLMResponse{Content: "done", FinishReason: "stop"}, nil
	}
	return &providers.LLMResponse{ToolCalls: []providers.ToolCall{{ID: "1", Type: "function", Name: "probe"}}, FinishReason: "tool_calls"}, nil
}

// watch calls probe in a loop and returns its progress.
//
//nolint:revive // context-as-argument: t comes first in a helper
func watch(t *testing.T, w *world, ctx context.Context, onOne func(string)) []string {
	t.Helper()
	l := &listener{onOne: onOne}
	inv := w.invocation()
	inv.CallID = ""
	_, err := tools.RunToolLoop(tools.WithInvocation(ctx, inv), tools.ToolLoopConfig{
		Provider: caller{}, Model: "m", Tools: w.registry(t), Journal: l,
	}, []providers.Message{{Role: providers.RoleUser, Content: "go"}}, "telegram", "-5")
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	return l.told
}

func TestProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "probe", anything,
		"#!/bin/sh\necho 'progress: half' >&2\necho 'progress:' >&2\necho 'a warning' >&2\n"+
			"printf 'progress: \\033[31mred\\377 %0400d\\n' 1 >&2\n"+
			"i=0; while [ $i -lt 1500 ]; do echo 'progress: more' >&2; i=$((i+1)); done\n")
	got := watch(t, w, t.Context(), nil)
	if len(got) != 1000 || got[0] != "half" {
		t.Fatalf("%d lines: %.200q", len(got), got)
	}
	if !strings.HasPrefix(got[1], "\uFFFD[31mred\uFFFD 0") || len(got[1]) > 210 {
		t.Errorf("%q", got[1])
	}
}

// TestALetterThatComesWhileAToolRuns: the tool's output may be the letter's, whether
// that still lies there or the program has moved it.
func TestALetterThatComesWhileAToolRuns(t *testing.T) {
	t.Parallel()
	for does, want := range map[string]bool{
		"echo nothing":                            false,
		"mkdir inbox && echo a >inbox/letter":     true,
		"echo a >kept/letter && mv kept/letter .": true,
	} {
		w := newWorld(t)
		w.options.Outside = "inbox"
		if strings.Contains(does, "kept") {
			w.options.Outside = "kept"
			if err := os.Mkdir(filepath.Join(w.space, "kept"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		w.put(t, "probe", anything, "#!/bin/sh\n"+does+"\n")
		brought := false
		_, err := tools.RunToolLoop(tools.WithInvocation(t.Context(), w.invocation()), tools.ToolLoopConfig{
			Provider: caller{}, Model: "m", Tools: w.registry(t), Brings: func(tools.Call) func() { return func() { brought = true } },
		}, []providers.Message{{Role: providers.RoleUser, Content: "go"}}, "telegram", "-5")
		if err != nil || brought != want {
			t.Errorf("%s: brought %v, %v", does, brought, err)
		}
	}
}
