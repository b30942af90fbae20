package testtools

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/tools"
)

// All returns every test tool; effect and effect_rerun append to the file effects.
func All(effects string) []tools.Tool {
	return []tools.Tool{
		effect("effect", "Does something once.", effects, tools.Annotations{}),
		effect("effect_rerun", "Does something that may be done again.", effects, tools.Annotations{Idempotent: true}),
		effect("effect_asked", "Does something once, when a person allows it.", effects, tools.Annotations{Destructive: true}),
		&tool{name: "lookup", about: "Looks up a word.", notes: tools.Annotations{ReadOnly: true}, run: lookup},
		&tool{name: "say", about: "Tells the person something.", notes: tools.Annotations{ReadOnly: true}, run: say},
		&Background{},
		reckless{},
		&heedless{},
		&tool{name: "hang", about: "Does not return for a while, whatever happens.", notes: tools.Annotations{ReadOnly: true}, run: hang},
		&tool{name: "panic", about: "Panics.", notes: tools.Annotations{ReadOnly: true}, run: panics},
		&tool{name: "flood", about: "Returns very much text.", notes: tools.Annotations{ReadOnly: true}, run: flood},
		&tool{name: "die", about: "Kills the gateway.", notes: tools.Annotations{ReadOnly: true}, run: die},
	}
}

// tool is a tool without state.
type tool struct {
	name, about string
	notes       tools.Annotations
	run         func(ctx context.Context, args map[string]any) *tools.ToolResult
}

func (t *tool) Name() string                   { return t.name }
func (t *tool) Description() string            { return t.about }
func (t *tool) Annotations() tools.Annotations { return t.notes }
func (t *tool) Parameters() map[string]any     { return parameters() }
func (t *tool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	return t.run(ctx, args)
}

// parameters is one schema for all: a text, and a number with the tool's own meaning.
func parameters() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"text": map[string]any{"type": "string"},
			"n":    map[string]any{"type": "integer", "minimum": 0, "maximum": 1 << 30},
		},
		"additionalProperties": false,
	}
}

func text(args map[string]any) string {
	s, _ := args["text"].(string)
	return s
}

func number(args map[string]any) int {
	switch n := args["n"].(type) {
	case float64:
		return int(n)
	case int:
		return n
	case interface{ Int64() (int64, error) }:
		i, err := n.Int64()
		if err == nil {
			return int(i)
		}
	}
	return 0
}

// An Effect is one line of the file of effects.
type Effect struct{ Tool, Key, Chat, Text string }

// ReadEffects reads the file of effects; a missing file has no effects.
func ReadEffects(path string) ([]Effect, error) {
	b, err := os.ReadFile(path) //nolint:gosec // the test names the file
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read effects: %w", err)
	}
	var all []Effect
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("read effects: line %q is not whole", line)
		}
		all = append(all, Effect{Tool: f[0], Key: f[1], Chat: f[2], Text: f[3]})
	}
	return all, nil
}

func effect(name, about, path string, notes tools.Annotations) tools.Tool {
	return &tool{name: name, about: about, notes: notes, run: func(ctx context.Context, args map[string]any) *tools.ToolResult {
		inv := tools.InvocationFrom(ctx)
		clean := strings.NewReplacer("\t", " ", "\n", " ").Replace(text(args))
		line := strings.Join([]string{name, inv.Key, inv.Chat, clean}, "\t") + "\n"
		if err := appendLine(path, line); err != nil {
			return tools.ErrorResult("the effect failed").WithError(err)
		}
		failpoint.Hit("P7")
		return tools.NewToolResult("done: " + clean)
	}}
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the test names the file
	if err != nil {
		return fmt.Errorf("open effects: %w", err)
	}
	_, err = f.WriteString(line)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write effects: %w", err)
	}
	return nil
}

func lookup(_ context.Context, args map[string]any) *tools.ToolResult {
	return tools.NewToolResult("the meaning of " + text(args) + " is known")
}

func say(_ context.Context, args map[string]any) *tools.ToolResult {
	return &tools.ToolResult{ForLLM: "said", ForUser: text(args)}
}

// hang holds for n milliseconds and does not look at its context.
func hang(_ context.Context, args map[string]any) *tools.ToolResult {
	<-time.After(time.Duration(number(args)) * time.Millisecond)
	return tools.NewToolResult("back")
}

func panics(context.Context, map[string]any) *tools.ToolResult { panic("this tool panics") }

// flood returns n bytes.
func flood(_ context.Context, args map[string]any) *tools.ToolResult {
	return tools.NewToolResult(strings.Repeat("flood ", number(args)/6+1))
}

// die ends the process as kill -9 does. It counts as read-only, so that a resumed turn runs it again.
func die(context.Context, map[string]any) *tools.ToolResult {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {}
}
