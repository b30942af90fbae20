package testtools

import (
	"context"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/tools"
)

// Background works for n milliseconds and then tells the model and the person in the
// chat that started it. It keeps injected values in plain fields and reads them in its
// goroutine, after Execute has returned.
type Background struct {
	channel, chat string
	callback      tools.AsyncCallback
}

var (
	_ tools.ContextualTool = (*Background)(nil)
	_ tools.AsyncTool      = (*Background)(nil)
)

// Name implements [tools.Tool].
func (b *Background) Name() string { return "background" }

// Description implements [tools.Tool].
func (b *Background) Description() string { return "Works in the background and reports back." }

// Parameters implements [tools.Tool].
func (b *Background) Parameters() map[string]any { return parameters() }

// SetContext implements [tools.ContextualTool].
func (b *Background) SetContext(channel, chatID string) { b.channel, b.chat = channel, chatID }

// SetCallback implements [tools.AsyncTool].
func (b *Background) SetCallback(cb tools.AsyncCallback) { b.callback = cb }

// Execute implements [tools.Tool]. Its goroutine ends with the work, or with the task's context.
func (b *Background) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	if b.callback == nil {
		return tools.ErrorResult("there is nobody to report to")
	}
	d, note := time.Duration(number(args))*time.Millisecond, text(args)
	go func() {
		t := time.NewTimer(d)
		defer t.Stop()
		failpoint.Hit("T3")
		select {
		case <-ctx.Done():
			return // the end of the task speaks for it
		case <-t.C:
		}
		b.callback(ctx, &tools.ToolResult{
			ForLLM:  "background work of " + b.channel + " chat " + b.chat + " is done: " + note,
			ForUser: "background result for " + b.chat + ": " + note,
		})
	}()
	return tools.AsyncResult("working in the background")
}

// reckless panics in a goroutine that it started itself, without a recover.
type reckless struct{}

var _ tools.AsyncTool = reckless{}

// Name implements [tools.Tool].
func (reckless) Name() string { return "reckless" }

// Description implements [tools.Tool].
func (reckless) Description() string { return "Panics in the background." }

// Parameters implements [tools.Tool].
func (reckless) Parameters() map[string]any { return parameters() }

// SetCallback implements [tools.AsyncTool].
func (reckless) SetCallback(tools.AsyncCallback) {}

// Execute implements [tools.Tool]. The panic comes n milliseconds later.
func (reckless) Execute(_ context.Context, args map[string]any) *tools.ToolResult {
	time.AfterFunc(time.Duration(number(args))*time.Millisecond, func() { panic("a goroutine of its own") })
	return tools.AsyncResult("working in the background")
}

// heedless calls back n milliseconds later, whatever has become of its call.
type heedless struct{ callback tools.AsyncCallback }

var _ tools.AsyncTool = (*heedless)(nil)

// Name implements [tools.Tool].
func (*heedless) Name() string { return "heedless" }

// Description implements [tools.Tool].
func (*heedless) Description() string { return "Calls back in any case." }

// Parameters implements [tools.Tool].
func (*heedless) Parameters() map[string]any { return parameters() }

// SetCallback implements [tools.AsyncTool].
func (h *heedless) SetCallback(cb tools.AsyncCallback) { h.callback = cb }

// Execute implements [tools.Tool].
func (h *heedless) Execute(_ context.Context, args map[string]any) *tools.ToolResult {
	time.AfterFunc(time.Duration(number(args))*time.Millisecond, func() { //nolint:contextcheck // a callback takes nil for the work's own
		h.callback(nil, tools.NewToolResult("heedless work is done: "+text(args)))
	})
	return tools.AsyncResult("working in the background")
}
