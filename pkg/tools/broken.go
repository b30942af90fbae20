package tools

import (
	"context"

	"parley/pkg/text"
)

// brokenTool is the tool of [Broken].
type brokenTool struct {
	name   string
	reason error
}

// Broken stands for a tool that cannot be offered: it is listed, disabled, and
// [ToolRegistry.Reason] says why.
func Broken(name string, reason error) Tool { return brokenTool{name: name, reason: reason} }

func (t brokenTool) Name() string             { return t.name }
func (brokenTool) Description() string        { return "" }
func (brokenTool) Parameters() map[string]any { return nil }
func (t brokenTool) problem() error           { return t.reason }

func (t brokenTool) Execute(context.Context, map[string]any) *ToolResult {
	return Fail(ErrDisabled, "the tool "+text.ClipBytes(t.name, 64)+" is disabled", nil).Because(t.reason).Result()
}
