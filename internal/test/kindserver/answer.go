package kindserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// answer is an answer of the scripted model.
type answer struct {
	thought, text string
	calls         []call
}

type call struct{ id, name, args string }

func (a *answer) finish() string {
	if len(a.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

// answer is a small model: it calls the tool that it is asked to use for each pair of
// numbers, with their sum as the expression of a calculator; it repeats results, tells the
// colour of any picture, and greets else.
func (r *rule) answer(fields map[string]any) *answer {
	a := &answer{}
	if r.field != "" {
		a.thought = "Let me see."
	}
	messages, _ := fields["messages"].([]any)
	last, _ := messages[len(messages)-1].(map[string]any)
	if last["role"] == "tool" {
		a.text = fmt.Sprintf("The results are %v.", last["content"])
		return a
	}
	if _, pictured := last["content"].([]any); pictured {
		a.text = "Red."
		return a
	}
	text, _ := last["content"].(string)
	forced, name := force(fields, r.ignores)
	pairs := pairsIn(text)
	tools, _ := fields["tools"].([]any)
	switch {
	case r.toolless:
		a.text = "Hello to you."
		return r.bySchema(fields, a)
	case forced == "none", len(tools) == 0:
		a.text = "I would call a tool, but may not."
		return a
	case forced != "auto" && len(pairs) == 0:
		pairs = [][]string{{"", "1", "2"}}
	case len(pairs) == 0:
		a.text = "Hello to you."
		return a
	}
	if name == "" {
		name = chosen(tools, text)
	}
	for i, p := range pairs {
		id := fmt.Sprintf("call_%d_%d", len(messages), i)
		if r.ids != nil && !r.ids.MatchString(id) {
			id = fmt.Sprintf("abc%03d%03d", len(messages), i)
		}
		args := fmt.Sprintf(`{"a":%s,"b":%s}`, p[1], p[2])
		if name == "calculator" {
			args = fmt.Sprintf(`{"expression":"%s + %s"}`, p[1], p[2])
		}
		a.calls = append(a.calls, call{id: id, name: name, args: args})
	}
	if r.spoken != "" {
		a.text, a.calls = written(r.spoken, a.calls), nil
	}
	return a
}

// pairsIn are the pairs of numbers in a text.
func pairsIn(text string) [][]string {
	return regexp.MustCompile(`(\d+) and (\d+)`).FindAllStringSubmatch(text, -1)
}

// force gives the form of tool_choice, and the name in it.
//
//nolint:revive // a server that overlooks tool_choice is the point
func force(fields map[string]any, ignored bool) (form, name string) {
	switch v := fields["tool_choice"].(type) {
	case string:
		if !ignored {
			return v, ""
		}
	case map[string]any:
		f, _ := v["function"].(map[string]any)
		name, _ = f["name"].(string)
		if !ignored {
			return "named", name
		}
	}
	return "auto", ""
}

// chosen is the name of the offered tool that the text names, or of the first one.
func chosen(tools []any, text string) string {
	first := ""
	for _, t := range tools {
		f, _ := t.(map[string]any)["function"].(map[string]any)
		name, _ := f["name"].(string)
		if first == "" {
			first = name
		}
		if name != "" && strings.Contains(text, name) {
			return name
		}
	}
	return first
}

// thoughtField is the field of an answer's reasoning, "" where it stands in the text.
func (r *rule) thoughtField(a *answer) string {
	if a.thought == "" || slices.Contains([]string{"<think>", "</think>", "parts"}, r.field) {
		return ""
	}
	return r.field
}

// text is the content of an answer.
func (r *rule) text(a *answer) string {
	switch r.field {
	case "<think>":
		return "<think>\n" + a.thought + "\n</think>\n\n" + a.text
	case "</think>":
		return a.thought + "\n</think>\n\n" + a.text
	}
	return a.text
}

// thinkingPart is reasoning as a part of the content.
func thinkingPart(a *answer) map[string]any {
	return map[string]any{"type": "thinking", "thinking": []any{map[string]any{"type": "text", "text": a.thought}}}
}

// message is a whole answer.
func (r *rule) message(a *answer) map[string]any {
	m := map[string]any{"role": "assistant", "content": r.text(a)}
	if r.field == "parts" {
		m["content"] = []any{thinkingPart(a), map[string]any{"type": "text", "text": a.text}}
	}
	if field := r.thoughtField(a); field != "" {
		m[field] = a.thought
	}
	var calls []any
	for _, c := range a.calls {
		calls = append(calls, map[string]any{
			"id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": c.args},
		})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return m
}

// stream writes an answer in frames.
func (r *rule) stream(w http.ResponseWriter, a *answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	if field := r.thoughtField(a); field != "" {
		frame(w, map[string]any{field: a.thought}, nil)
	}
	if r.field == "parts" {
		frame(w, map[string]any{"content": []any{thinkingPart(a)}}, nil)
	}
	for _, word := range strings.SplitAfter(r.text(a), " ") {
		frame(w, map[string]any{"role": "assistant", "content": word}, nil)
	}
	for i, c := range a.calls {
		for _, delta := range r.deltas(i, c) {
			frame(w, map[string]any{"tool_calls": []any{delta}}, nil)
		}
	}
	frame(w, map[string]any{}, a.finish())
	send(w, map[string]any{"choices": []any{}, "usage": usage()})
	_, _ = io.WriteString(w, "data: [DONE]\n\n") // the client may have left
}

// deltas are a call in one piece, or in three.
func (r *rule) deltas(i int, c call) []map[string]any {
	args := []string{c.args}
	if !r.whole {
		args = []string{"", c.args[:3], c.args[3:]}
	}
	var all []map[string]any
	for n, piece := range args {
		function := map[string]any{"arguments": piece}
		delta := map[string]any{"index": i, "function": function}
		if n == 0 {
			function["name"], delta["id"], delta["type"] = c.name, c.id, "function"
		}
		if r.unnumber {
			delete(delta, "index")
		}
		all = append(all, delta)
	}
	return all
}

func frame(w io.Writer, delta map[string]any, finish any) {
	send(w, map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func send(w io.Writer, v any) {
	_, _ = fmt.Fprintf(w, "data: %s\n\n", encode(v)) // the client may have left
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("kindserver: %v", err))
	}
	return string(b)
}
