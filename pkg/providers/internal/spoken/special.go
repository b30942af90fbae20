package spoken

import "strings"

// kimi is the inside of Kimi's section of calls.
func kimi(s *scanner) bool {
	for !s.after("<|tool_calls_section_end|>") {
		before := s.rest
		if !s.is("<|tool_call_begin|>") {
			return false
		}
		id, ok := s.until("<|tool_call_argument_begin|>")
		if !ok {
			return false
		}
		raw, ok := s.json()
		if !ok || !s.after("<|tool_call_end|>") {
			return false
		}
		name := strings.TrimPrefix(strings.TrimSpace(id), "functions.")
		if i := strings.LastIndexByte(name, ':'); i >= 0 {
			name = name[:i]
		}
		if !strings.HasPrefix(raw, "{") || !s.call(name, raw, s.took(before)) {
			return false
		}
	}
	return true
}

// deepSeek is the inside of DeepSeek's section: NAME and JSON, or the type, NAME and JSON in
// a block of code.
func deepSeek(s *scanner) bool {
	for !s.after("<｜tool▁calls▁end｜>") {
		before := s.rest
		if !s.is("<｜tool▁call▁begin｜>") {
			return false
		}
		name, ok := s.until("<｜tool▁sep｜>")
		if !ok {
			return false
		}
		fence := false
		if s.space(); !strings.HasPrefix(s.rest, "{") {
			if name, ok = s.until("\n"); !ok {
				return false
			}
			fence = s.after("```json")
		}
		raw, ok := s.json()
		if !ok || !strings.HasPrefix(raw, "{") || fence && !s.after("```") || !s.after("<｜tool▁call▁end｜>") {
			return false
		}
		if !s.call(name, raw, s.took(before)) {
			return false
		}
	}
	return true
}

// harmony is the rest of a message to functions.NAME.
func harmony(s *scanner) bool {
	before := s.rest
	head, ok := s.until("<|message|>")
	if !ok {
		return false
	}
	name, kind, _ := strings.Cut(strings.TrimSpace(strings.Replace(head, "<|constrain|>", " ", 1)), " ")
	if kind = strings.TrimSpace(kind); kind != "" && kind != "json" {
		return false
	}
	raw, ok := s.json()
	if !ok || !strings.HasPrefix(raw, "{") || !s.call(name, raw, s.took(before)) {
		return false
	}
	return s.after("<|call|>") || s.rest == ""
}
