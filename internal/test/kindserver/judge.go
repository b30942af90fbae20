package kindserver

import (
	"fmt"
	"slices"
	"strings"
)

// judge says why a request is refused, "" for a legal one.
func (r *rule) judge(fields map[string]any) string {
	for _, name := range r.refused {
		if _, there := fields[name]; there {
			return "Unsupported parameter: " + name
		}
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if _, there := fields[name]; there && r.limit != "" && r.limit != name {
			return fmt.Sprintf("Unsupported parameter: '%s'. Use '%s' instead.", name, r.limit)
		}
	}
	if _, there := fields["tools"]; there && r.toolless {
		return "this model does not support tools"
	}
	if complaint := r.choice(fields); complaint != "" {
		return complaint
	}
	return r.conversation(fields)
}

// conversation judges the messages, one after the other.
func (r *rule) conversation(fields map[string]any) string {
	messages, _ := fields["messages"].([]any)
	if len(messages) == 0 {
		return "messages are missing"
	}
	offered, _ := fields["tools"].([]any)
	open := map[string]bool{}
	before := ""
	for i, v := range messages {
		m, _ := v.(map[string]any)
		role, _ := m["role"].(string)
		if r.turns && (role == before && role != "tool" || role == "user" && before == "tool") {
			return "Conversation roles must alternate user/assistant/user/assistant/..."
		}
		before = role
		if complaint := r.one(m, len(offered) > 0, open); complaint != "" {
			return fmt.Sprintf("messages.%d: %s", i, complaint)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("%d tool calls without a result", len(open))
	}
	return ""
}

// choice judges tool_choice.
func (r *rule) choice(fields map[string]any) string {
	value, there := fields["tool_choice"]
	if !there || r.ignores {
		return ""
	}
	if _, there := fields["tools"]; !there {
		return "tool_choice without tools"
	}
	form, isWord := value.(string)
	if !isWord {
		form = "named"
	}
	if r.choices != nil && !slices.Contains(r.choices, form) {
		return fmt.Sprintf("tool_choice %v is not supported", value)
	}
	return ""
}

// one judges a message; open are the calls that wait for their result.
func (r *rule) one(m map[string]any, tools bool, open map[string]bool) string {
	if complaint := r.parts(m); complaint != "" {
		return complaint
	}
	switch m["role"] {
	case "assistant":
		return r.assistant(m, tools, open)
	case "tool":
		id, _ := m["tool_call_id"].(string)
		if !open[id] {
			return "the result " + id + " is of no call"
		}
		delete(open, id)
	case "user", "system":
		if text, isText := m["content"].(string); isText && strings.TrimSpace(text) == "" {
			return "empty content"
		}
	default:
		return fmt.Sprintf("unknown role %v", m["role"])
	}
	return ""
}

// parts judges the fields of a message.
func (r *rule) parts(m map[string]any) string {
	known := []string{"role", "content", "name", "tool_calls", "tool_call_id"}
	for name := range m {
		own := slices.Contains(r.fields, name) || name == r.thought
		if r.closed && !own && !slices.Contains(known, name) {
			return fmt.Sprintf("property '%s' is unsupported", name)
		}
	}
	if parts, ok := m["content"].([]any); ok && r.blind && len(parts) > 1 {
		return "this model takes no pictures"
	}
	return ""
}

// assistant judges a message of the model.
//
//nolint:revive // whether the request has tools is a fact about it, no switch
func (r *rule) assistant(m map[string]any, tools bool, open map[string]bool) string {
	calls, _ := m["tool_calls"].([]any)
	thought, _ := m[r.thought].(string)
	if r.thought != "" && tools && thought == "" && (len(calls) > 0 || !r.thoughtCall) {
		return "The " + r.thought + " must be passed back to the API."
	}
	if _, there := m["content"]; r.content && !there {
		return "missing field content"
	}
	for _, v := range calls {
		c, _ := v.(map[string]any)
		id, _ := c["id"].(string)
		if r.ids != nil && !r.ids.MatchString(id) {
			return "Tool call id was " + id + " but must be " + r.ids.String()
		}
		open[id] = true
	}
	return ""
}
