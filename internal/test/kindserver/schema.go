package kindserver

import (
	"fmt"
	"strings"
)

// bySchema turns an answer into JSON of the form that response_format demands: a text, or
// calls of the tools that the schema names.
func (r *rule) bySchema(fields map[string]any, a *answer) *answer {
	format, _ := fields["response_format"].(map[string]any)
	schema := encode(format["json_schema"])
	messages, _ := fields["messages"].([]any)
	last, _ := messages[len(messages)-1].(map[string]any)
	text, _ := last["content"].(string)
	pairs := pairsIn(text)
	calls := strings.Contains(schema, `"calls"`) && !strings.Contains(text, `"results"`)
	forced := !strings.Contains(schema, `"answer"`)
	switch {
	case format == nil:
		return a
	case strings.Contains(text, `"results"`):
		a.text = "The results are " + strings.NewReplacer(`"`, "", "{", "", "}", "").Replace(text)
	case calls && (forced || len(pairs) > 0):
		name := "add"
		if !strings.Contains(schema, `"add"`) {
			name = "multiply"
		}
		if len(pairs) == 0 {
			pairs = [][]string{{"", "1", "2"}}
		}
		var all []string
		for _, p := range pairs {
			all = append(all, fmt.Sprintf(`{"tool": %q, "arguments": {"a": %s, "b": %s}}`, name, p[1], p[2]))
		}
		a.text = `{"calls": [` + strings.Join(all, ", ") + `]}`
		return a
	}
	a.text = `{"answer": ` + encode(a.text) + `}`
	return a
}
