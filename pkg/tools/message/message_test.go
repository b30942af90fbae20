package message_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/tools"
	"parley/pkg/tools/message"
)

// queue keeps the queued texts.
type queue struct {
	mu   sync.Mutex
	sent []string
	err  error
}

func (q *queue) QueueMessage(ctx context.Context, channel, chatID, text string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sent = append(q.sent, strings.Join([]string{tools.InvocationFrom(ctx).CallID, channel, chatID, text}, "|"))
	return q.err
}

func setup() (*tools.ToolRegistry, *queue) {
	q := &queue{}
	r := tools.NewToolRegistry()
	r.Register(message.New(q))
	return r, q
}

func send(ctx context.Context, r *tools.ToolRegistry, channel, chat, text string) *tools.ToolResult {
	return r.ExecuteWithContext(ctx, "message", map[string]any{"text": text}, channel, chat, nil)
}

func TestSendsToItsOwnChat(t *testing.T) {
	t.Parallel()
	r, q := setup()
	ctx := tools.WithInvocation(t.Context(), tools.Invocation{CallID: "c1"})
	if res := send(ctx, r, "console", "7", "hello\nthere"); res.IsError || !res.Silent || res.ForUser != "" {
		t.Errorf("got %+v", res)
	}
	if diff := cmp.Diff([]string{"c1|console|7|hello\nthere"}, q.sent); diff != "" {
		t.Error(diff)
	}
}

// TestManyChatsAtOnce uses one registered value for many chats; each text
// reaches the chat of its own call.
func TestManyChatsAtOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	q := &queue{}
	r := tools.NewToolRegistryWith(tools.Options{Log: zerolog.New(&log).Level(zerolog.WarnLevel)})
	r.Register(message.New(q))
	want := map[string]bool{}
	var wg sync.WaitGroup
	for i := range 300 {
		want[fmt.Sprintf("|test|chat-%d|for %d", i, i)] = true
		wg.Go(func() { send(t.Context(), r, "test", fmt.Sprintf("chat-%d", i), fmt.Sprintf("for %d", i)) })
	}
	wg.Wait()
	got := map[string]bool{}
	for _, s := range q.sent {
		got[s] = true
	}
	if diff := cmp.Diff(want, got); diff != "" || len(q.sent) != 300 {
		t.Errorf("%d sent: %s", len(q.sent), diff)
	}
	if log.Len() > 0 {
		t.Errorf("the registry serialises the tool: %s", log.String())
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		args          map[string]any
		channel, chat string
		want          tools.ErrorType
	}{
		{"empty", map[string]any{"text": ""}, "c", "1", tools.ErrInvalidArguments},
		{"blank", map[string]any{"text": " \n"}, "c", "1", tools.ErrInvalidArguments},
		{"missing", nil, "c", "1", tools.ErrInvalidArguments},
		{"no text", map[string]any{"text": 5}, "c", "1", tools.ErrInvalidArguments},
		{"too long", map[string]any{"text": strings.Repeat("x", message.MaxText+1)}, "c", "1", tools.ErrInvalidArguments},
		{"another chat", map[string]any{"text": "x", "chat_id": "2"}, "c", "1", tools.ErrInvalidArguments},
		{"no channel", map[string]any{"text": "x"}, "", "1", tools.ErrExecutionFailed},
		{"no chat", map[string]any{"text": "x"}, "c", "", tools.ErrExecutionFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, q := setup()
			res := r.ExecuteWithContext(t.Context(), "message", tt.args, tt.channel, tt.chat, nil)
			var e struct{ Type tools.ErrorType }
			if err := json.Unmarshal([]byte(res.ForLLM), &e); err != nil || !res.IsError || e.Type != tt.want || len(q.sent) > 0 {
				t.Errorf("got %+v, sent %v", res, q.sent)
			}
		})
	}
	r, _ := setup()
	if res := send(t.Context(), r, "c", "1", strings.Repeat("x", message.MaxText)); res.IsError {
		t.Errorf("the longest text: %s", res.ForLLM)
	}
}

func TestQueueFails(t *testing.T) {
	t.Parallel()
	r, q := setup()
	q.err = errors.New("disk full at a private place")
	res := send(t.Context(), r, "c", "1", "x")
	if !res.IsError || !errors.Is(res.Err, q.err) || strings.Contains(res.ForLLM, "private") {
		t.Errorf("got %+v", res)
	}
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	a := tools.AnnotationsOf(message.New(&queue{}))
	if a.ReadOnly || a.Idempotent || a.Destructive || a.Level != tools.LevelChat {
		t.Errorf("annotations %+v", a)
	}
}
