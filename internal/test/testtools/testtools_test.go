package testtools_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/test/testtools"
	"parley/pkg/tools"
)

func named(t *testing.T, effects, name string) tools.Tool {
	t.Helper()
	for _, tool := range testtools.All(effects) {
		if tool.Name() == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func TestEffectsAreBookedByCall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "effects")
	if got, err := testtools.ReadEffects(path); err != nil || got != nil {
		t.Fatalf("before any effect: %v, %v", got, err)
	}
	for _, name := range []string{"effect", "effect_rerun"} {
		ctx := tools.WithInvocation(t.Context(), tools.Invocation{Key: "k/" + name, Chat: "a"})
		if r := named(t, path, name).Execute(ctx, map[string]any{"text": "x\ty\nz"}); r.ForLLM != "done: x y z" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	got, err := testtools.ReadEffects(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []testtools.Effect{
		{Tool: "effect", Key: "k/effect", Chat: "a", Text: "x y z"},
		{Tool: "effect_rerun", Key: "k/effect_rerun", Chat: "a", Text: "x y z"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEffectFailsWhereItCannotBeBooked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "no", "folder")
	if r := named(t, path, "effect").Execute(t.Context(), map[string]any{}); !r.IsError {
		t.Errorf("%+v", r)
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	want := map[string]bool{ // may run again
		"effect": false, "effect_rerun": true, "effect_asked": false, "lookup": true,
		"say": true, "background": false, "reckless": false, "heedless": false,
		"hang": true, "panic": true, "flood": true, "die": true,
	}
	got := map[string]bool{}
	for _, tool := range testtools.All("") {
		got[tool.Name()] = tools.AnnotationsOf(tool).Rerunnable()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBackgroundReportsToItsChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &testtools.Background{}
		got := make(chan *tools.ToolResult, 1)
		b.SetContext("loop", "a")
		b.SetCallback(func(_ context.Context, r *tools.ToolResult) { got <- r })
		if r := b.Execute(t.Context(), map[string]any{"n": 60_000.0, "text": "word"}); !r.Async {
			t.Fatalf("%+v", r)
		}
		started := time.Now()
		r := <-got
		if d := time.Since(started); d != time.Minute {
			t.Errorf("reported after %s", d)
		}
		for _, text := range []string{r.ForLLM, r.ForUser} {
			if !strings.Contains(text, " a") || !strings.Contains(text, "word") {
				t.Errorf("%q does not name its chat and its text", text)
			}
		}
	})
}

func TestBackgroundEndsWithItsTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &testtools.Background{}
		b.SetCallback(func(context.Context, *tools.ToolResult) { t.Error("reported after its task had ended") })
		ctx, cancel := context.WithCancel(t.Context())
		b.Execute(ctx, map[string]any{"n": 60_000})
		cancel()
		synctest.Wait()
		<-time.After(2 * time.Minute)
	})
}

func TestBackgroundWithoutAnyoneToTell(t *testing.T) {
	t.Parallel()
	if r := (&testtools.Background{}).Execute(t.Context(), nil); !r.IsError {
		t.Errorf("%+v", r)
	}
}

func TestSmallTools(t *testing.T) {
	t.Parallel()
	args := map[string]any{"text": "word", "n": 600}
	if r := named(t, "", "lookup").Execute(t.Context(), args); !strings.Contains(r.ForLLM, "word") || r.ForUser != "" {
		t.Errorf("lookup: %+v", r)
	}
	if r := named(t, "", "say").Execute(t.Context(), args); r.ForUser != "word" {
		t.Errorf("say: %+v", r)
	}
	if r := named(t, "", "flood").Execute(t.Context(), args); len(r.ForLLM) < 600 {
		t.Errorf("flood: %d bytes", len(r.ForLLM))
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		started := time.Now()
		named(t, "", "hang").Execute(ctx, args)
		if d := time.Since(started); d != 600*time.Millisecond {
			t.Errorf("hang held for %s", d)
		}
	})
}
