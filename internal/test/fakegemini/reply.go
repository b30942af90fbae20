package fakegemini

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
)

// Failure refuses with the error of the real server.
func Failure(code int, status, message string, details ...string) Reply {
	e := map[string]any{"code": code, "message": message, "status": status}
	if len(details) > 0 {
		var list []json.RawMessage
		for _, d := range details {
			list = append(list, json.RawMessage(d))
		}
		e["details"] = list
	}
	return Reply{Status: code, Body: encode(map[string]any{"error": e})}
}

// Say answers with text.
func Say(text string) Reply { return Ends("STOP", Text(text)) }

// Ends answers with parts, one a frame, and ends for a reason.
func Ends(reason string, parts ...string) Reply {
	var r Reply
	for _, p := range parts {
		r.Frames = append(r.Frames, Frame(p, ""))
	}
	r.Frames = append(r.Frames, Frame("", reason))
	return r
}

// Frame is a piece of an answer; part and reason may be empty.
func Frame(part, reason string) string {
	candidate := map[string]any{"index": 0}
	if part != "" {
		candidate["content"] = map[string]any{"role": "model", "parts": []json.RawMessage{json.RawMessage(part)}}
	}
	f := map[string]any{"candidates": []any{candidate}, "modelVersion": "fake-001"}
	if reason != "" {
		candidate["finishReason"] = reason
		f["usageMetadata"] = map[string]any{
			"promptTokenCount": 11, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "cachedContentTokenCount": 3, "totalTokenCount": 18,
		}
	}
	return encode(f)
}

// Text is a part of text.
func Text(text string) string { return encode(map[string]any{"text": text}) }

// Thought is a part of the model's thoughts.
func Thought(text string) string { return encode(map[string]any{"text": text, "thought": true}) }

// Call is a part that calls a tool; id may be empty, args is JSON.
func Call(id, name, args string) string {
	call := map[string]any{"name": name, "args": json.RawMessage(args)}
	if id != "" {
		call["id"] = id
	}
	return encode(map[string]any{"functionCall": call})
}

// Signed adds a signature to a part.
func Signed(part, signature string) string {
	return fmt.Sprintf(`%s,"thoughtSignature":%s}`, part[:len(part)-1], encode(signature))
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values
	}
	return string(b)
}

// join makes one answer of its frames.
func join(frames []string) string {
	var parts []any
	whole := map[string]any{}
	candidate := map[string]any{}
	for _, f := range frames {
		var frame map[string]any
		if json.Unmarshal([]byte(f), &frame) != nil {
			return f // of a form of its own
		}
		candidates, _ := frame["candidates"].([]any)
		maps.Copy(whole, frame)
		if len(candidates) == 0 {
			continue
		}
		c, _ := candidates[0].(map[string]any)
		maps.Copy(candidate, c)
		inner, _ := c["content"].(map[string]any)
		some, _ := inner["parts"].([]any)
		parts = append(parts, some...)
	}
	if len(candidate) > 0 {
		candidate["content"] = map[string]any{"role": "model", "parts": parts}
		whole["candidates"] = []any{candidate}
	}
	return encode(whole)
}

// remember keeps the signatures that an answer gives out.
func (s *Server) remember(model, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range regexp.MustCompile(`"thoughtSignature": *"([^"]*)"`).FindAllStringSubmatch(body, -1) {
		s.signatures[m[1]] = model
	}
}
