package fakegemini

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// Rules are those of the protocol.
type Rules struct {
	// Vertex takes no ids of calls.
	Vertex bool
	// Signatures gives the broken rule about the signatures of a content of the turn under
	// way that has calls, or "". Nil takes all.
	Signatures func(parts []any) string
}

// Broken gives the first broken rule of a request in the words of the real server, or "".
func (r Rules) Broken(body map[string]any) string {
	for key := range body {
		if !slices.Contains([]string{"contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}, key) {
			return unknown(key, "request")
		}
	}
	declared, broken := checkTools(body["tools"])
	if broken != "" {
		return broken
	}
	for _, check := range []func() string{
		func() string { return checkChoice(body["toolConfig"], declared) },
		func() string { return checkConfig(body["generationConfig"]) },
		func() string { return checkInstructions(body["systemInstruction"]) },
		func() string { return r.checkContents(list(body["contents"])) },
	} {
		if broken := check(); broken != "" {
			return broken
		}
	}
	return ""
}

func unknown(key, where string) string {
	return fmt.Sprintf("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", key, where)
}

func checkChoice(v any, declared []string) string {
	config := object(object(v)["functionCallingConfig"])
	if config == nil {
		return ""
	}
	names := list(config["allowedFunctionNames"])
	switch mode := config["mode"]; {
	case len(declared) == 0:
		return "Function calling config is set without function_declarations."
	case mode != "AUTO" && mode != "ANY" && mode != "NONE":
		return fmt.Sprintf("Invalid value at 'tool_config.function_calling_config.mode': %v", mode)
	case len(names) > 0 && mode != "ANY":
		return "allowed_function_names is only for mode ANY"
	}
	for _, n := range names {
		if name, _ := n.(string); !slices.Contains(declared, name) {
			return fmt.Sprintf("allowed_function_names: %v is not declared", n)
		}
	}
	return ""
}

func checkConfig(v any) string {
	known := []string{
		"maxOutputTokens", "temperature", "topP", "seed", "stopSequences", "thinkingConfig", "responseMimeType", "responseJsonSchema",
	}
	for key := range object(v) {
		if !slices.Contains(known, key) {
			return unknown(key, "generation_config")
		}
	}
	thinking := object(object(v)["thinkingConfig"])
	if thinking["thinkingBudget"] != nil && thinking["thinkingLevel"] != nil {
		return "You can only set only one of thinking budget and thinking level."
	}
	return ""
}

func checkInstructions(v any) string {
	if v == nil {
		return ""
	}
	parts := list(object(v)["parts"])
	for _, p := range parts {
		if text, _ := object(p)["text"].(string); text == "" {
			return "system_instruction.parts must not be empty"
		}
	}
	if len(parts) == 0 {
		return "system_instruction.parts must not be empty"
	}
	return ""
}

// checkContents walks the conversation.
func (r Rules) checkContents(contents []any) string {
	if len(contents) == 0 {
		return "* GenerateContentRequest.contents: contents is not specified"
	}
	var open []map[string]any // calls of the content before
	before := ""
	turn := currentTurn(contents)
	for i, v := range contents {
		c := object(v)
		role, _ := c["role"].(string)
		parts := list(c["parts"])
		if broken := checkPlace(i, role, before, len(parts)); broken != "" {
			return broken
		}
		calls, broken := r.checkParts(parts, role, open)
		if broken != "" {
			return fmt.Sprintf("contents[%d]: %s", i, broken)
		}
		if i >= turn && len(calls) > 0 && r.Signatures != nil {
			if broken := r.Signatures(parts); broken != "" {
				return broken
			}
		}
		open, before = calls, role
	}
	if len(open) > 0 {
		return "the last calls have no results"
	}
	return ""
}

// checkPlace looks at the role and the parts of content i.
func checkPlace(i int, role, before string, parts int) string {
	switch {
	case role != "user" && role != "model":
		return fmt.Sprintf("Please use a valid role: user, model. (got %q)", role)
	case parts == 0:
		return fmt.Sprintf("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
	case i == 0 && role == "model":
		return "Please ensure that multiturn requests begin with a user turn."
	case role == "model" && before == "model":
		return "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
	default:
		return ""
	}
}

// currentTurn is the place of the last content with a person's words.
func currentTurn(contents []any) int {
	for i, v := range slices.Backward(contents) {
		c := object(v)
		if c["role"] != "user" {
			continue
		}
		for _, p := range list(c["parts"]) {
			if object(p)["functionResponse"] == nil {
				return i
			}
		}
	}
	return 0
}

// checkParts checks the parts of a content, which answers the open calls; it gives its own.
func (r Rules) checkParts(parts []any, role string, open []map[string]any) (calls []map[string]any, broken string) {
	var answered []map[string]any
	for _, v := range parts {
		p := object(v)
		kind, broken := kindOf(p)
		if broken != "" {
			return nil, broken
		}
		switch kind {
		case "functionCall":
			if role != "model" {
				return nil, "a function call outside a model turn"
			}
			call := object(p[kind])
			if broken := r.checkCall(call, "args"); broken != "" {
				return nil, broken
			}
			calls = append(calls, call)
		case "functionResponse":
			if role != "user" {
				return nil, "a function response outside a user turn"
			}
			response := object(p[kind])
			if broken := r.checkCall(response, "response"); broken != "" {
				return nil, broken
			}
			answered = append(answered, response)
		}
	}
	if len(answered) != len(open) || len(answered) > 0 && len(answered) != len(parts) {
		return nil, "Please ensure that the number of function response parts is equal " +
			"to the number of function call parts of the function call turn."
	}
	for i := range answered {
		if answered[i]["name"] != open[i]["name"] || answered[i]["id"] != open[i]["id"] {
			return nil, fmt.Sprintf("function response %v does not answer the call %v", answered[i], open[i])
		}
	}
	return calls, ""
}

// kindOf is the one field of data that a part has.
func kindOf(p map[string]any) (kind, broken string) {
	for key := range p {
		switch key {
		case "text", "functionCall", "functionResponse", "inlineData", "fileData":
			if kind != "" {
				return "", "a part with two kinds of data"
			}
			kind = key
		case "thought", "thoughtSignature":
		default:
			return "", unknown(key, "contents.parts")
		}
	}
	switch text, _ := p["text"].(string); {
	case kind == "":
		return "", "required oneof field 'data' must have one initialized field"
	case kind == "text" && text == "" && p["thoughtSignature"] == nil:
		return "", "Unable to submit request because it must have a text parameter."
	case kind == "inlineData":
		return kind, checkBlob(object(p[kind]))
	}
	return kind, ""
}

func checkBlob(blob map[string]any) string {
	mime, _ := blob["mimeType"].(string)
	data, _ := blob["data"].(string)
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}, mime) {
		return "Unsupported MIME type: " + mime
	}
	if b, err := base64.StdEncoding.DecodeString(data); err != nil || len(b) == 0 {
		return "Unable to process input image."
	}
	return ""
}

func (r Rules) checkCall(call map[string]any, values string) string {
	for key := range call {
		if key != "name" && key != values && (key != "id" || r.Vertex) {
			return unknown(key, "function_call")
		}
	}
	name, _ := call["name"].(string)
	if !legalName(name) {
		return "Invalid function name: " + name
	}
	if object(call[values]) == nil {
		return fmt.Sprintf("Invalid value at '%s': not an object", values)
	}
	return ""
}

// checkSignature wants the signature of a step of calls, which this server has given out.
func (s *Server) checkSignature(model string, parts []any) string {
	first := true
	for _, v := range parts {
		p := object(v)
		signature, _ := p["thoughtSignature"].(string)
		s.mu.Lock()
		owner, given := s.signatures[signature]
		s.mu.Unlock()
		call := object(p["functionCall"])
		switch {
		case signature == "skip_thought_signature_validator" && call != nil:
		case signature != "" && (!given || owner != model):
			return "Corrupted thought signature."
		case signature == "" && call != nil && first && strings.HasPrefix(model, "gemini-3"):
			return fmt.Sprintf("Function call is missing a thought_signature in functionCall parts. This is required for tools to work "+
				"correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `%v`.", call["name"])
		}
		first = first && call == nil
	}
	return ""
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
