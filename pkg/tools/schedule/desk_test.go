package schedule_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/pkg/tools"
	"parley/pkg/tools/schedule"
)

// book keeps the jobs of all chats in memory, each by the chat of the call.
type book struct {
	shown int // how often a call said that it shows content from outside
	mu    sync.Mutex
	jobs  map[string]map[string]schedule.Job
	zones map[string]string
	err   error
	puts  int
}

func newBook() *book {
	return &book{jobs: map[string]map[string]schedule.Job{}, zones: map[string]string{}}
}

func chat(ctx context.Context) string { return tools.InvocationFrom(ctx).Chat }

func (b *book) List(ctx context.Context) ([]schedule.Job, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.SortedFunc(maps.Values(b.jobs[chat(ctx)]), func(x, y schedule.Job) int { return strings.Compare(x.ID, y.ID) }), b.err
}

func (b *book) Shows(context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown++
}

func (b *book) Put(ctx context.Context, j schedule.Job) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.jobs[chat(ctx)] == nil {
		b.jobs[chat(ctx)] = map[string]schedule.Job{}
	}
	b.jobs[chat(ctx)][j.ID] = j
	b.puts++
	return b.err
}

func (b *book) Delete(ctx context.Context, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.jobs[chat(ctx)], id)
	return b.err
}

func (b *book) Zone(ctx context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.zones[chat(ctx)], b.err
}

func (b *book) SetZone(ctx context.Context, zone string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.zones[chat(ctx)] = zone
	return b.err
}

// desk is the tool with its book, at a time that stands still.
type desk struct {
	book  *book
	now   time.Time
	zone  string
	tools *tools.ToolRegistry
	calls int
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{book: newBook(), now: instant(t, "2026-11-21T20:00:00Z"), tools: tools.NewToolRegistry()}
	d.tools.Register(schedule.New(schedule.Options{
		Book: d.book, Now: func() time.Time { return d.now }, PerChat: 3, Zone: func(context.Context) string { return d.zone },
	}))
	return d
}

// call makes a call of its own key in the chat 1.
func (d *desk) call(t *testing.T, args map[string]any) *tools.ToolResult {
	t.Helper()
	d.calls++
	return d.in(t, "1", fmt.Sprintf("turn/1/%d", d.calls), args)
}

func (d *desk) in(t *testing.T, chat, key string, args map[string]any) *tools.ToolResult {
	t.Helper()
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{Channel: "test", Chat: chat, Key: key})
	return d.tools.Execute(ctx, "schedule", args)
}

// view is a result; all of list's are in Jobs.
type view struct {
	ID, Name, When, Due, Timezone, Text, Why, Note, Last, Now string
	Prompt, Paused, Removed                                   bool
	Failures                                                  int
	Jobs                                                      []view
}

func (d *desk) good(t *testing.T, args map[string]any) view {
	t.Helper()
	return seen(t, d.call(t, args))
}

func seen(t *testing.T, res *tools.ToolResult) view {
	t.Helper()
	var v view
	if err := json.Unmarshal([]byte(res.ForLLM), &v); err != nil || res.IsError {
		t.Fatalf("%s (%v)", res.ForLLM, err)
	}
	return v
}

type with = map[string]any
