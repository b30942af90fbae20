package tools

import (
	"fmt"
	"strings"
)

// noOutput is what the model sees of a call that said nothing.
const noOutput = "(no output)"

// A long result is cut twice: coarsely before secrets are looked for, so that a
// gigabyte costs no more than a megabyte, and to its bound after that. What lies
// nearer than cutMargin to the coarse cut is dropped in between, as no secret is
// longer: so no half of one remains.
const (
	coarseHalf = 512 << 10
	cutMargin  = 4 << 10
)

// finish makes a tool's result fit to be stored and sent: never nil, never
// empty, within limit, valid UTF-8, without secrets. The tool's own value is left alone.
func finish(res *ToolResult, limit int, redact func(string) string) *ToolResult {
	out := ToolResult{}
	if res != nil {
		out = *res
	}
	if out.ForLLM == "" && out.Err != nil {
		out.ForLLM = out.Err.Error()
	}
	if out.ForLLM == "" {
		out.ForLLM = noOutput
	}
	out.ForLLM = tidy(out.ForLLM, limit, redact)
	out.ForUser = tidy(out.ForUser, limit, redact)
	return &out
}

func tidy(s string, limit int, redact func(string) string) string {
	if s == "" {
		return s
	}
	head, tail, lost := s, "", 0
	if half := max(coarseHalf, limit) + cutMargin; len(s) > 2*half {
		head, tail = s[:half], s[len(s)-half:]
		lost = len(s) - len(head) - len(tail)
	}
	if redact != nil {
		head = redact(head)
		if tail != "" {
			tail = redact(tail)
		}
	}
	if tail != "" {
		h, t := max(0, len(head)-cutMargin), min(len(tail), cutMargin)
		lost += len(head) - h + t
		head, tail = head[:h], tail[t:]
	}
	if lost == 0 {
		head = strings.ToValidUTF8(head, "\uFFFD")
		if len(head) <= limit {
			return head
		}
		head, tail = head[:len(head)/2], head[len(head)/2:]
	}
	return cut(head, tail, lost, limit)
}

// cut keeps the begin of head and the end of tail; lost bytes between them are gone already.
func cut(head, tail string, lost, limit int) string {
	const form = "\n[... %d bytes left out here ...]\n"
	room := max(0, limit-len(form)-20)
	h := min(len(head), room*2/3)
	t := min(len(tail), room-h)
	note := fmt.Sprintf(form, len(head)-h+len(tail)-t+lost)
	return strings.ToValidUTF8(head[:h], "") + note + strings.ToValidUTF8(tail[len(tail)-t:], "")
}

// clip shortens s to about n bytes for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
