package providers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	proseBytes   = 4 // of prose to a token
	machineBytes = 3 // of tool output and arguments to a token
)

// Shorten gives m as a request of a later turn carries it: at most about limit
// tokens, whichever part of it is large. Text keeps its beginning; so does each long
// string in the arguments of a call, which stay one JSON object. A note in place of
// the omitted part gives its size; [LeftOut] finds it again. The given message is not
// touched, and its pictures are not counted.
func Shorten(m Message, limit int) Message {
	text, machine := limit*proseBytes, limit*machineBytes
	if m.Role == RoleTool {
		text = machine
	}
	if len(m.ToolCalls) > 0 {
		text /= 2
	}
	m.Content, m.Reasoning = shortText(m.Content, text), shortText(m.Reasoning, text)
	if len(m.Extra) > machine/4 {
		m.Extra = nil
	}
	if len(m.ToolCalls) > 0 {
		m.ToolCalls = shortCalls(m.ToolCalls, machine/4)
	}
	return m
}

// shortCalls gives calls whose arguments have about room bytes together.
func shortCalls(calls []ToolCall, room int) []ToolCall {
	size := 0
	for i := range calls {
		size += callBytes(&calls[i])
	}
	if size <= room {
		return calls
	}
	share := room / len(calls)
	short := make([]ToolCall, len(calls))
	for i, c := range calls {
		if callBytes(&c) > share {
			c.Extra, c.RawArguments, c.Arguments = nil, shortArguments(&c, share), nil
		}
		short[i] = c
	}
	return short
}

// callBytes are those of a call that have no bound of their own.
func callBytes(c *ToolCall) int {
	n := len(c.RawArguments) + len(c.Extra)
	if c.RawArguments == "" {
		n += argumentBytes(c.Arguments)
	}
	return n
}

// shortArguments gives the arguments of c as an object of at most room bytes, or
// as one that only says how much is left out.
func shortArguments(c *ToolCall, room int) string {
	raw := c.RawArguments
	if raw == "" {
		raw = encodeArguments(c.Arguments)
	}
	if len(raw) <= room {
		return raw
	}
	for _, most := range []int{room / 2, room / 8, 64} {
		var object map[string]any
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		if c.BadArguments != "" || d.Decode(&object) != nil {
			break
		}
		if s := encodeArguments(shortValue(object, most)); len(s) <= room {
			return s
		}
	}
	return encodeArguments(map[string]any{"left_out": leftOut(len(raw))})
}

// shortValue cuts the strings in v, which is changed.
func shortValue(v any, most int) any {
	switch v := v.(type) {
	case string:
		return shortText(v, most)
	case map[string]any:
		for k, e := range v {
			v[k] = shortValue(e, most)
		}
	case []any:
		for i, e := range v {
			v[i] = shortValue(e, most)
		}
	}
	return v
}

func shortText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head := strings.ToValidUTF8(s[:most], "")
	return head + "… " + leftOut(len(s)-len(head))
}

func encodeArguments(v any) string {
	b, err := encodePlainly(v)
	if err != nil {
		return "{}"
	}
	return string(b)
}

func leftOut(n int) string { return fmt.Sprintf("[%d bytes are left out of this history]", n) }

// LeftOut says whether a string in v, which is decoded JSON, carries the note of
// [Shorten]: a model has repeated a part of its history as if it were whole.
func LeftOut(v any) bool {
	switch v := v.(type) {
	case string:
		// The expression is compiled for the few strings alone that can match.
		return strings.Contains(v, " bytes are left out of this history]") &&
			regexp.MustCompile(`\[\d+ bytes are left out of this history\]`).MatchString(v)
	case map[string]any:
		for _, e := range v {
			if LeftOut(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, LeftOut)
	}
	return false
}
