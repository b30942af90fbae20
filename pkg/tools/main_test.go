package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fn is a tool made of a function; fields that are left out are harmless.
type fn struct {
	name, description string
	parameters        map[string]any
	annotations       tools.Annotations
	run               func(ctx context.Context, args map[string]any) *tools.ToolResult
}

func (f fn) Name() string                   { return f.name }
func (f fn) Description() string            { return f.description }
func (f fn) Parameters() map[string]any     { return f.parameters }
func (f fn) Annotations() tools.Annotations { return f.annotations }
func (f fn) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	if f.run == nil {
		return tools.NewToolResult(f.name + " ran")
	}
	return f.run(ctx, args)
}

// failure is the one shape of an error.
type failure struct {
	Error   bool            `json:"error"`
	Type    tools.ErrorType `json:"type"`
	Message string          `json:"message"`
	Details map[string]any  `json:"details"`
}

// wantFailure checks that a result is an error of the one shape and the given type.
func wantFailure(t *testing.T, res *tools.ToolResult, want tools.ErrorType) failure {
	t.Helper()
	if !res.IsError {
		t.Fatalf("not an error: %+v", res)
	}
	return wantFailureText(t, res.ForLLM, want)
}

func wantFailureText(t *testing.T, text string, want tools.ErrorType) failure {
	t.Helper()
	var f failure
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		t.Fatalf("not the error shape: %v in %s", err, text)
	}
	if !f.Error || f.Type != want || f.Message == "" || f.Details == nil {
		t.Fatalf("got %s, want type %s", text, want)
	}
	return f
}

// logBuffer collects log lines from many goroutines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logBuffer) logger(level zerolog.Level) zerolog.Logger { return zerolog.New(l).Level(level) }
