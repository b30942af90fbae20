package kindserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
)

// Anthropic is a scripted server of the Messages API with the same small model.
type Anthropic struct {
	Server
}

// NewAnthropic starts it.
func NewAnthropic() *Anthropic {
	s := &Anthropic{}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

func (s *Anthropic) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	var body map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &body)
	}
	if err != nil {
		s.complain(w, "the body is no JSON object: "+err.Error())
		return
	}
	if complaint := legal(body); complaint != "" {
		s.complain(w, complaint)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	(&eventStream{w: w}).write((&rule{field: "thinking"}).answer(fromAnthropic(body)))
}

func (s *Anthropic) complain(w http.ResponseWriter, reason string) {
	s.mu.Lock()
	s.refused = append(s.refused, reason)
	s.mu.Unlock()
	writeJSON(w, http.StatusBadRequest, map[string]any{
		"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": reason},
	})
}

// legal says why a request is refused.
func legal(body map[string]any) string {
	if n, _ := body["max_tokens"].(float64); n < 1 {
		return "max_tokens: Field required"
	}
	if body["stream"] != true {
		return "this server only streams"
	}
	messages, _ := body["messages"].([]any)
	open := map[string]bool{}
	for i, v := range messages {
		m, _ := v.(map[string]any)
		blocks, _ := m["content"].([]any)
		for _, v := range blocks {
			b, _ := v.(map[string]any)
			switch b["type"] {
			case "tool_use":
				id, _ := b["id"].(string)
				if !regexp.MustCompile(`^[a-zA-Z0-9_-]+$`).MatchString(id) {
					return fmt.Sprintf("messages.%d: the id %q is illegal", i, id)
				}
				open[id] = true
			case "tool_result":
				id, _ := b["tool_use_id"].(string)
				if !open[id] {
					return fmt.Sprintf("messages.%d: unexpected tool_use_id %s", i, id)
				}
				delete(open, id)
			}
		}
		if m["role"] == "user" && len(open) > 0 {
			return fmt.Sprintf("messages.%d: tool_use without tool_result", i)
		}
	}
	return ""
}

// fromAnthropic gives a request in the form in which the model reads it.
func fromAnthropic(body map[string]any) map[string]any {
	messages, _ := body["messages"].([]any)
	last, _ := messages[len(messages)-1].(map[string]any)
	message := map[string]any{"role": "user", "content": last["content"]}
	if blocks, ok := last["content"].([]any); ok {
		var text strings.Builder
		for _, v := range blocks {
			b, _ := v.(map[string]any)
			if b["type"] == "tool_result" {
				message["role"] = "tool"
				fmt.Fprint(&text, b["content"])
			}
			words, _ := b["text"].(string)
			text.WriteString(words)
		}
		message["content"] = text.String()
		if pictured(blocks, "source") {
			message["content"] = blocks
		}
	}
	fields := map[string]any{"messages": []any{message}}
	if tools, ok := body["tools"].([]any); ok {
		fields["tools"] = named(tools)
	}
	choice, _ := body["tool_choice"].(map[string]any)
	switch choice["type"] {
	case "tool":
		fields["tool_choice"] = map[string]any{"function": map[string]any{"name": choice["name"]}}
	case "any":
		fields["tool_choice"] = "required"
	case "none":
		fields["tool_choice"] = "none"
	}
	return fields
}

// eventStream writes an answer as the events of the Messages API.
type eventStream struct {
	w     io.Writer
	block int
}

func (e *eventStream) write(a *answer) {
	e.send("message_start", map[string]any{"message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 90, "output_tokens": 1},
	}})
	e.put(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, map[string]any{"type": "thinking_delta", "thinking": a.thought},
		map[string]any{"type": "signature_delta", "signature": "c2lnbmVk"})
	if a.text != "" {
		var deltas []map[string]any
		for _, word := range strings.SplitAfter(a.text, " ") {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": word})
		}
		e.put(map[string]any{"type": "text", "text": ""}, deltas...)
	}
	reason := "end_turn"
	for _, c := range a.calls {
		reason = "tool_use"
		e.put(map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": c.args[:3]},
			map[string]any{"type": "input_json_delta", "partial_json": c.args[3:]})
	}
	e.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 10},
	})
	e.send("message_stop", map[string]any{})
}

// put writes one block with its pieces.
func (e *eventStream) put(start map[string]any, deltas ...map[string]any) {
	e.send("content_block_start", map[string]any{"index": e.block, "content_block": start})
	for _, d := range deltas {
		e.send("content_block_delta", map[string]any{"index": e.block, "delta": d})
	}
	e.send("content_block_stop", map[string]any{"index": e.block})
	e.block++
}

func (e *eventStream) send(kind string, fields map[string]any) {
	fields["type"] = kind
	_, _ = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", kind, encode(fields)) // the client may have left
}
