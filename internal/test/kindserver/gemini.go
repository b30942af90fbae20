package kindserver

import (
	"fmt"
	"strings"

	"parley/internal/test/fakegemini"
)

// NewGemini starts a strict server of Gemini's own protocol with the same small model.
func NewGemini() *fakegemini.Server {
	return fakegemini.New(fakegemini.Options{Script: func(r fakegemini.Request) fakegemini.Reply {
		return toGemini((&rule{field: "thought"}).answer(fromGemini(r.Body)))
	}})
}

// fromGemini gives a request in the form in which the model reads it.
func fromGemini(body map[string]any) map[string]any {
	contents, _ := body["contents"].([]any)
	last, _ := contents[len(contents)-1].(map[string]any)
	parts, _ := last["parts"].([]any)
	message := map[string]any{"role": "user"}
	var text strings.Builder
	for _, v := range parts {
		part, _ := v.(map[string]any)
		if result, there := part["functionResponse"].(map[string]any); there {
			message["role"] = "tool"
			fmt.Fprint(&text, result["response"])
		}
		words, _ := part["text"].(string)
		text.WriteString(words)
	}
	message["content"] = text.String()
	if pictured(parts, "inlineData") {
		message["content"] = parts
	}
	fields := map[string]any{"messages": []any{message}}
	sets, _ := body["tools"].([]any)
	for _, v := range sets {
		set, _ := v.(map[string]any)
		functions, _ := set["functionDeclarations"].([]any)
		fields["tools"] = named(functions)
	}
	config, _ := body["toolConfig"].(map[string]any)
	config, _ = config["functionCallingConfig"].(map[string]any)
	allowed, _ := config["allowedFunctionNames"].([]any)
	switch {
	case len(allowed) == 1:
		fields["tool_choice"] = map[string]any{"function": map[string]any{"name": allowed[0]}}
	case config["mode"] == "ANY":
		fields["tool_choice"] = "required"
	case config["mode"] == "NONE":
		fields["tool_choice"] = "none"
	}
	return fields
}

func toGemini(a *answer) fakegemini.Reply {
	parts := []string{fakegemini.Thought(a.thought)}
	if a.text != "" {
		for _, word := range strings.SplitAfter(a.text, " ") {
			parts = append(parts, fakegemini.Text(word))
		}
	}
	for i, c := range a.calls {
		part := fakegemini.Call(c.id, c.name, c.args)
		if i == 0 {
			part = fakegemini.Signed(part, "c2lnbmVk")
		}
		parts = append(parts, part)
	}
	return fakegemini.Ends("STOP", parts...)
}

// named gives tools of another protocol in OpenAI's form.
func named(tools []any) []any {
	var all []any
	for _, v := range tools {
		tool, _ := v.(map[string]any)
		all = append(all, map[string]any{"function": map[string]any{"name": tool["name"]}})
	}
	return all
}

// pictured says whether one of the parts has a picture.
func pictured(parts []any, field string) bool {
	for _, v := range parts {
		part, _ := v.(map[string]any)
		if part[field] != nil {
			return true
		}
	}
	return false
}
