package strictmodel

import (
	"errors"
	"net/http"

	"parley/internal/test/fakemodel"
)

// messages serves the Messages API.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	var wire anthropicRequest
	body, err := s.read(w, r, &wire)
	var req *fakemodel.Request
	if err == nil {
		req, err = s.anthropic(&wire)
	}
	if err == nil && r.Header.Get("Anthropic-Version") == "" {
		err = errors.New("anthropic-version: header is required")
	}
	if err != nil {
		s.violated(err)
		writeError(w, http.StatusBadRequest, anthropicError("invalid_request_error", err.Error()))
		return
	}
	req.Body, req.Header = body, r.Header
	a := s.mint(*req)
	blocks, stop := s.anthropicBlocks(&a), "end_turn"
	if len(a.ToolCalls) > 0 {
		stop = "tool_use"
	}
	message := map[string]any{
		"id": "msg_01", "type": "message", "role": "assistant", "model": wire.Model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": len(body) / 4, "output_tokens": 10},
	}
	refusal := anthropicError(a.Fault.Code, a.Fault.Message)
	if !wire.Stream {
		a.Fault.Send(w, r, "application/json", [][]byte{[]byte(encode(message))}, refusal)
		return
	}
	var out frames
	message["content"], message["stop_reason"] = []any{}, nil
	out.event("message_start", map[string]any{"type": "message_start", "message": message})
	for i, b := range blocks {
		out.block(i, b)
	}
	out.event("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 10},
	})
	out.event("message_stop", map[string]any{"type": "message_stop"})
	if a.Fault.ErrorFrame {
		out.broken("error", refusal)
	}
	a.Fault.Send(w, r, "text/event-stream", out, refusal)
}

func anthropicError(kind, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

// anthropicBlocks are an answer's blocks. Thoughts are followed by redacted ones.
func (s *Server) anthropicBlocks(a *fakemodel.Answer) []map[string]any {
	var blocks []map[string]any
	if a.Reasoning != "" {
		blocks = append(blocks,
			map[string]any{"type": "thinking", "thinking": a.Reasoning, "signature": s.seal(a.Reasoning)},
			map[string]any{"type": "redacted_thinking", "data": s.seal("redacted")})
	}
	if a.Content != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": a.Content})
	}
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		call := map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name}
		args, err := argumentsOf(c)
		if call["input"] = args; err != nil {
			call["input"] = c.RawArguments
		}
		blocks = append(blocks, call)
	}
	return blocks
}

// block adds a block in pieces.
func (f *frames) block(i int, b map[string]any) {
	delta := func(kind, field, text string) {
		f.event("content_block_delta", map[string]any{
			"type": "content_block_delta", "index": i, "delta": map[string]any{"type": kind, field: text},
		})
	}
	start := map[string]any{"type": b["type"]}
	pieces := func() {}
	text := func(field string) string { t, _ := b[field].(string); return t }
	switch b["type"] {
	case "text":
		start["text"] = ""
		pieces = func() {
			for _, half := range halves(text("text")) {
				delta("text_delta", "text", half)
			}
		}
	case "thinking":
		start["thinking"], start["signature"] = "", ""
		pieces = func() {
			for _, half := range halves(text("thinking")) {
				delta("thinking_delta", "thinking", half)
			}
			delta("signature_delta", "signature", text("signature"))
		}
	case "tool_use":
		start["id"], start["name"], start["input"] = b["id"], b["name"], map[string]any{}
		pieces = func() {
			input, broken := b["input"].(string)
			if !broken {
				input = encode(b["input"])
			}
			for _, half := range halves(input) {
				delta("input_json_delta", "partial_json", half)
			}
		}
	default:
		start = b
	}
	f.event("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": start})
	pieces()
	f.event("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
}
