package spoken

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"parley/pkg/providers"
)

// calls reads a text as calls and nothing else; none if it is any other text. Echo says that
// the text of a call was in the conversation before.
func (q *question) calls(text string, all []opener) (calls []providers.ToolCall, echo bool) {
	s := scanner{rest: text, tools: q.tools}
	if o, _ := begins(text[:min(len(text), maxMark)], all); o != nil {
		s.rest = text[len(o.text):]
		if !o.parse(&s) {
			return nil, false
		}
	} else if !s.object() || !s.offers(s.found[0].name) || !strings.HasPrefix(s.found[0].arguments, "{") {
		return nil, false
	}
	if s.space(); s.rest != "" || len(s.found) == 0 {
		return nil, false
	}
	s.found = s.found[:min(len(s.found), providers.MaxCalls)]
	texts := make([]string, len(s.found))
	for i := range s.found {
		texts[i] = s.found[i].text
	}
	if Echoes(q.messages, texts) {
		return nil, true
	}
	for i, f := range s.found {
		c := providers.ToolCall{ID: CallID(q.messages, i, f.text), Type: "function", Name: f.name, RawArguments: f.arguments}
		c.Settle()
		calls = append(calls, c)
	}
	return calls, false
}

// CallID makes an id for the call n of an answer to messages, whose text says it. It is the
// same when the same answer to the same conversation is read again, and another in a later
// turn.
func CallID(messages []providers.Message, n int, text string) string {
	last := ""
	if len(messages) > 0 {
		m := &messages[len(messages)-1]
		last = m.Role + "\x00" + m.ToolCallID + "\x00" + m.Content
	}
	h := sha256.Sum256([]byte(strconv.Itoa(len(messages)) + "\x00" + strconv.Itoa(n) + "\x00" + last + "\x00" + text))
	const short = 12
	return "call_" + hex.EncodeToString(h[:short])
}

// blocksOf reads blocks between two marks, the first of which is taken. Block reads one up to
// its end mark.
func blocksOf(begin, end string, block func(*scanner) bool) func(*scanner) bool {
	return func(s *scanner) bool {
		for more := true; more; more = s.after(begin) {
			if !block(s) || !s.after(end) {
				return false
			}
		}
		return true
	}
}

// hermesBlock is the inside of <tool_call>.
func hermesBlock(s *scanner) bool {
	s.space()
	switch {
	case strings.HasPrefix(s.rest, "{"):
		return s.object()
	case strings.HasPrefix(s.rest, "<function="):
		return qwenFunction(s)
	default:
		return pairs(s)
	}
}

// qwenFunction is <function=NAME> with <parameter=NAME> elements.
func qwenFunction(s *scanner) bool {
	before := s.rest
	s.is("<function=")
	name, ok := s.until(">")
	if !ok {
		return false
	}
	var a arguments
	for !s.after("</function>") {
		if !s.is("<parameter=") {
			return false
		}
		key, ok := s.until(">")
		if !ok {
			return false
		}
		text, ok := s.element("</parameter>", "<parameter=", "</function>")
		if !ok {
			return false
		}
		a.add(key, s.value(name, key, text))
	}
	return s.call(name, a.object(), s.took(before))
}

// element takes the text before an end mark that one of the next marks follows: the text may
// hold the end mark itself.
func (s *scanner) element(end string, next ...string) (string, bool) {
	for from := 0; ; {
		n := strings.Index(s.rest[from:], end)
		if n < 0 {
			return "", false
		}
		n += from
		behind := strings.TrimLeft(s.rest[n+len(end):], " \t\r\n")
		for _, mark := range next {
			if strings.HasPrefix(behind, mark) {
				text := s.rest[:n]
				s.rest = s.rest[n+len(end):]
				return text, true
			}
		}
		from = n + len(end)
	}
}

// pairs is a name with elements arg_key and arg_value.
func pairs(s *scanner) bool {
	before := s.rest
	name := s.rest[:max(0, strings.IndexAny(s.rest, " \n\r\t<"))]
	s.rest = s.rest[len(name):]
	var a arguments
	for s.after("<arg_key>") {
		key, ok := s.until("</arg_key>")
		if !ok || !s.after("<arg_value>") {
			return false
		}
		text, ok := s.element("</arg_value>", "<arg_key>", "</tool_call>")
		if !ok {
			return false
		}
		a.add(strings.TrimSpace(key), s.value(name, strings.TrimSpace(key), text))
	}
	return (a.b.Len() > 0 || s.offers(name)) && s.call(name, a.object(), s.took(before))
}

// llamaBlock is NAME>{…} of <function=NAME>{…}</function>.
func llamaBlock(s *scanner) bool {
	before := s.rest
	name, ok := s.until(">")
	if !ok {
		return false
	}
	raw, ok := s.json()
	return ok && strings.HasPrefix(raw, "{") && s.call(name, raw, s.took(before))
}

// pythonTag is the JSON behind <|python_tag|>.
func pythonTag(s *scanner) bool {
	ok := s.object()
	for ok && s.after(";") {
		ok = s.object()
	}
	return ok && (s.after("<|eom_id|>") || s.is("<|eot_id|>") || s.rest == "")
}

// mistral is a list, or names with [ARGS], behind [TOOL_CALLS].
func mistral(s *scanner) bool {
	if s.space(); strings.HasPrefix(s.rest, "[") {
		return list(s)
	}
	for more := true; more; more = s.after("[TOOL_CALLS]") {
		before := s.rest
		head, ok := s.until("[ARGS]")
		if !ok {
			return false
		}
		name, _, _ := strings.Cut(head, "[CALL_ID]")
		raw, ok := s.json()
		if !ok || !strings.HasPrefix(raw, "{") || !s.call(name, raw, s.took(before)) {
			return false
		}
	}
	return true
}

// list is a JSON list of calls.
func list(s *scanner) bool {
	if !s.after("[") {
		return false
	}
	for more := true; more; more = s.after(",") {
		if !s.object() {
			return false
		}
	}
	return s.after("]")
}

// objects is JSON objects, one behind the other.
func objects(s *scanner) bool {
	for more := true; more; more = strings.HasPrefix(s.rest, "{") {
		if !s.object() {
			return false
		}
		s.space()
	}
	return true
}

// invocations reads elements invoke, whose tags have a prefix, up to an end mark.
func invocations(prefix, end string) func(*scanner) bool {
	invoke, parameter := "<"+prefix+"invoke name=\"", "<"+prefix+"parameter name=\""
	endInvoke, endParameter := "</"+prefix+"invoke>", "</"+prefix+"parameter>"
	return func(s *scanner) bool {
		for !s.after(end) {
			before := s.rest
			if !s.is(invoke) {
				return false
			}
			name, ok := s.until("\">")
			if !ok {
				return false
			}
			var a arguments
			for !s.after(endInvoke) {
				if !s.is(parameter) || !s.parameter(&a, name, endParameter, parameter, endInvoke) {
					return false
				}
			}
			if !s.call(name, a.object(), s.took(before)) {
				return false
			}
		}
		return true
	}
}

// parameter takes one behind the quotation mark of its name: NAME">…, or
// NAME" string="true">… where the model says whether it is text.
func (s *scanner) parameter(a *arguments, tool, end string, next ...string) bool {
	head, ok := s.until(">")
	if !ok {
		return false
	}
	text, ok := s.element(end, next...)
	if !ok {
		return false
	}
	key, attribute, _ := strings.Cut(head, `"`)
	value := s.value(tool, key, text)
	if attribute = strings.TrimSpace(attribute); attribute == `string="true"` {
		value = jsonText(text)
	}
	a.add(key, value)
	return true
}
