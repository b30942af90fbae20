package kindserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// written gives calls as a model of the family writes them, for a server that passes its text on.
func written(form string, calls []call) string {
	var all []string
	for i, c := range calls {
		all = append(all, one(form, i, c))
	}
	switch form {
	case "mistral":
		return "[TOOL_CALLS][" + strings.Join(all, ", ") + "]"
	case "nemotron":
		return "<TOOLCALL>[" + strings.Join(all, ", ") + "]</TOOLCALL>"
	case "kimi":
		return "<|tool_calls_section_begin|>" + strings.Join(all, "") + "<|tool_calls_section_end|>"
	case "deepseek":
		return "<｜tool▁calls▁begin｜>" + strings.Join(all, "\n") + "<｜tool▁calls▁end｜>"
	case "minimax":
		return "<minimax:tool_call>\n" + strings.Join(all, "\n") + "\n</minimax:tool_call>"
	}
	return strings.Join(all, "\n")
}

// one is the i-th call of an answer.
func one(form string, i int, c call) string {
	object := fmt.Sprintf(`{"name": %q, "arguments": %s}`, c.name, c.args)
	switch form {
	case "hermes":
		return "<tool_call>\n" + object + "\n</tool_call>"
	case "qwen":
		return "<tool_call>\n<function=" + c.name + ">\n" + c.each("<parameter=%s>\n%v\n</parameter>\n") + "</function>\n</tool_call>"
	case "glm":
		return "<tool_call>" + c.name + "\n" + c.each("<arg_key>%s</arg_key>\n<arg_value>%v</arg_value>\n") + "</tool_call>"
	case "llama":
		return "<function=" + c.name + ">" + c.args + "</function>"
	case "kimi":
		return fmt.Sprintf("<|tool_call_begin|>functions.%s:%d<|tool_call_argument_begin|>%s<|tool_call_end|>", c.name, i, c.args)
	case "deepseek":
		return "<｜tool▁call▁begin｜>function<｜tool▁sep｜>" + c.name + "\n```json\n" + c.args + "\n```<｜tool▁call▁end｜>"
	case "minimax":
		return fmt.Sprintf("<invoke name=%q>\n", c.name) + c.each("<parameter name=\"%s\">%v</parameter>\n") + "</invoke>"
	case "minicpm":
		arguments := strings.TrimSuffix(c.each("%s=%v, "), ", ")
		return "<|tool_call_start|>\n```python\n" + c.name + "(" + arguments + ")\n```\n<|tool_call_end|>"
	}
	return object
}

// each puts the two arguments into a format.
func (c *call) each(format string) string {
	var args map[string]any
	if err := json.Unmarshal([]byte(c.args), &args); err != nil {
		panic("kindserver: " + err.Error())
	}
	return fmt.Sprintf(format, "a", args["a"]) + fmt.Sprintf(format, "b", args["b"])
}
