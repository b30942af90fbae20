package cassette

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"parley/pkg/providers"
	"parley/pkg/providers/providertest"
)

// Suite describes a wire for [providertest.RunHTTP]; the provider's Connect is missing.
func Suite(wire Wire) providertest.HTTP {
	h := providertest.HTTP{Read: func(body []byte) (Request, error) { return ReadRequest(wire, body) }}
	switch wire {
	case OpenAI:
		h.Answer = openAIRender
		h.Refusal = func(m string) string {
			return encode(object{"error": object{"message": m, "type": "some_error", "code": "some_code"}})
		}
		h.Late = func(m string) string { return frame(object{"error": object{"message": m, "type": "server_error"}}) }
	case Anthropic:
		h.Answer = anthropicRender
		h.Refusal = func(m string) string {
			return encode(object{"type": "error", "error": object{"type": "some_error", "message": m}})
		}
		h.Late = func(m string) string {
			return event("error", object{"error": object{"type": "overloaded_error", "message": m}})
		}
	case Gemini:
		h.Answer = geminiRender
		h.Refusal = func(m string) string {
			return encode(object{"error": object{"code": 400, "message": m, "status": "SOME_STATUS"}})
		}
		h.Late = func(m string) string {
			return frame(object{"error": object{"code": 503, "message": m, "status": "UNAVAILABLE"}})
		}
	}
	return h
}

type object map[string]any

// encode writes JSON of values that always can be written.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func frame(v any) string { return "data: " + encode(v) + "\n\n" }

// event is a frame with its name, which the object repeats.
func event(name string, v object) string {
	v["type"] = name
	return "event: " + name + "\n" + frame(v)
}

// halves cuts s in two, so that answers really come in pieces.
func halves(s string) []string {
	runes := []rune(s)
	return []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}

// thoughts are the pieces of an answer's reasoning, if it has any.
func thoughts(a *providers.LLMResponse) []string {
	if a.Reasoning == "" {
		return nil
	}
	return halves(a.Reasoning)
}

// signature is the one that a server gives to the reasoning of an answer.
func signature(a *providers.LLMResponse) string {
	return base64.StdEncoding.EncodeToString([]byte("signed: " + a.Reasoning))
}

func openAIRender(a *providers.LLMResponse, stream bool) []string { //nolint:revive // the form of the answer
	chunk := func(place string, delta object, finish any) object {
		return object{
			"id": "x", "object": "chat.completion", "created": 1, "model": "m",
			"choices": []object{{"index": 0, place: delta, "finish_reason": finish}},
		}
	}
	function := func(i int, more object) []object {
		c := object{"index": i}
		maps.Copy(c, more)
		return []object{c}
	}
	if !stream {
		m := object{"role": "assistant", "content": a.Content}
		if a.Reasoning != "" {
			m["reasoning_content"] = a.Reasoning
		}
		var calls []object
		for _, c := range a.ToolCalls {
			calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.RawArguments}})
		}
		if calls != nil {
			m["tool_calls"] = calls
		}
		out := chunk("message", m, a.FinishReason)
		out["usage"] = a.Usage
		return []string{encode(out)}
	}
	out := []string{frame(chunk("delta", object{"role": "assistant", "content": ""}, nil))}
	for _, thought := range thoughts(a) {
		out = append(out, frame(chunk("delta", object{"reasoning_content": thought}, nil)))
	}
	for _, text := range halves(a.Content) {
		out = append(out, frame(chunk("delta", object{"content": text}, nil)))
	}
	for i, c := range a.ToolCalls {
		head := object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}
		out = append(out, frame(chunk("delta", object{"tool_calls": function(i, head)}, nil)))
		for _, args := range halves(c.RawArguments) {
			piece := object{"function": object{"arguments": args}}
			out = append(out, frame(chunk("delta", object{"tool_calls": function(i, piece)}, nil)))
		}
	}
	last := chunk("delta", object{}, a.FinishReason)
	usage := object{"id": "x", "object": "chat.completion.chunk", "choices": []object{}, "usage": a.Usage}
	return append(out, frame(last), frame(usage), "data: [DONE]\n\n")
}

func anthropicRender(a *providers.LLMResponse, stream bool) []string { //nolint:revive // the form of the answer
	stop := map[string]string{providers.FinishStop: "end_turn", providers.FinishToolCalls: "tool_use"}[a.FinishReason]
	usage := object{"input_tokens": a.Usage.PromptTokens, "output_tokens": a.Usage.CompletionTokens}
	head := object{"id": "msg_x", "type": "message", "role": "assistant", "model": "m", "content": []object{}, "usage": usage}
	text := object{"type": "text", "text": a.Content}
	if !stream {
		var content []object
		if a.Reasoning != "" {
			content = append(content, object{"type": "thinking", "thinking": a.Reasoning, "signature": signature(a)})
		}
		content = append(content, text)
		for _, c := range a.ToolCalls {
			content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.RawArguments)})
		}
		head["content"], head["stop_reason"] = content, stop
		return []string{encode(head)}
	}
	out := []string{event("message_start", object{"message": head}), event("ping", object{})}
	index := 0
	block := func(start object, deltas ...object) {
		out = append(out, event("content_block_start", object{"index": index, "content_block": start}))
		for _, d := range deltas {
			out = append(out, event("content_block_delta", object{"index": index, "delta": d}))
		}
		out = append(out, event("content_block_stop", object{"index": index}))
		index++
	}
	deltas := func(kind, field string, pieces []string) (all []object) {
		for _, p := range pieces {
			all = append(all, object{"type": kind, field: p})
		}
		return all
	}
	if pieces := deltas("thinking_delta", "thinking", thoughts(a)); pieces != nil {
		signed := object{"type": "signature_delta", "signature": signature(a)}
		block(object{"type": "thinking", "thinking": "", "signature": ""}, append(pieces, signed)...)
	}
	block(object{"type": "text", "text": ""}, deltas("text_delta", "text", halves(a.Content))...)
	for _, c := range a.ToolCalls {
		start := object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}
		block(start, deltas("input_json_delta", "partial_json", halves(c.RawArguments))...)
	}
	last := object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage}
	return append(out, event("message_delta", last), event("message_stop", object{}))
}

func geminiRender(a *providers.LLMResponse, stream bool) []string { //nolint:revive // the form of the answer
	usage := object{
		"promptTokenCount": a.Usage.PromptTokens, "candidatesTokenCount": a.Usage.CompletionTokens, "totalTokenCount": a.Usage.TotalTokens,
	}
	answer := func(finish string, parts ...object) object {
		c := object{"content": object{"role": "model", "parts": parts}, "index": 0}
		if finish != "" {
			c["finishReason"] = finish
		}
		return object{"candidates": []object{c}, "usageMetadata": usage, "modelVersion": "m", "responseId": "x"}
	}
	var calls, thinking []object
	for i, c := range a.ToolCalls {
		part := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.RawArguments)}}
		if i == 0 && a.Reasoning != "" {
			part["thoughtSignature"] = signature(a)
		}
		calls = append(calls, part)
	}
	for _, thought := range thoughts(a) {
		thinking = append(thinking, object{"text": thought, "thought": true})
	}
	if !stream {
		return []string{encode(answer("STOP", slices.Concat(thinking, []object{{"text": a.Content}}, calls)...))}
	}
	var out []string
	for _, thought := range thinking {
		out = append(out, frame(answer("", thought)))
	}
	for _, text := range halves(a.Content) {
		out = append(out, frame(answer("", object{"text": text})))
	}
	for _, c := range calls {
		out = append(out, frame(answer("", c)))
	}
	return append(out, frame(answer("STOP", object{"text": ""})))
}

// dataURL is a picture of a request as an address.
func dataURL(kind, data string) string { return fmt.Sprintf("data:%s;base64,%s", kind, data) }
