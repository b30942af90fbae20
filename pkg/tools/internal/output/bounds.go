package output

import (
	"fmt"
	"strings"
)

// A long text is cut twice: coarsely before secrets are looked for, so that a
// gigabyte costs no more than a megabyte, and to its bound after that. No secret is
// longer than cutMargin, and that much beside the coarse cut is dropped, so that no
// half of a secret remains.
const (
	coarseHalf = 512 << 10
	cutMargin  = 4 << 10
)

// Tidy returns s within limit bytes, as valid UTF-8 and without secrets. A nil redact
// leaves secrets in.
func Tidy(s string, limit int, redact func(string) string) string {
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

// cut keeps the beginning of head and the end of tail; lost counts the bytes that are
// already missing between them.
func cut(head, tail string, lost, limit int) string {
	const form = "\n[... %d bytes left out here ...]\n"
	room := max(0, limit-len(form)-20)
	h := min(len(head), room*2/3)
	t := min(len(tail), room-h)
	note := fmt.Sprintf(form, len(head)-h+len(tail)-t+lost)
	return strings.ToValidUTF8(head[:h], "") + note + strings.ToValidUTF8(tail[len(tail)-t:], "")
}
