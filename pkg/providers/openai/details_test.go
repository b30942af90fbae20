package openai_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/test/fakemodel"
	"parley/pkg/providers"
)

// TestReasoningInManyPieces has a server send its reasoning in sixty thousand pieces.
// Putting them together must not take the square of their number.
func TestReasoningInManyPieces(t *testing.T) {
	t.Parallel()
	const pieces = 60_000
	piece := `data: {"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"abcd"}]}}]}` + "\n\n"
	body := strings.Repeat(piece, pieces) + frames(`{"choices":[{"index":0,"delta":{"content":"so"},"finish_reason":"stop"}]}`, done)
	srv := fakemodel.New(fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Answer {
		return fakemodel.Answer{Fault: fakemodel.Fault{Body: body, ContentType: "text/event-stream"}}
	}})
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	resp, err := provider(t, srv.URL()).ChatStream(ctx, []providers.Message{{Role: "user", Content: "hi"}}, nil, "m", nil, nil)
	if err != nil || resp.Content != "so" {
		t.Fatalf("%+v, %v", resp, err)
	}
	if !strings.Contains(string(resp.Extra), strings.Repeat("abcd", pieces)) {
		t.Errorf("the reasoning block is %d bytes", len(resp.Extra))
	}
}
