package strictmodel

import (
	"encoding/json"
	"net/http"
	"strings"

	"parley/internal/test/fakemodel"
)

// generate serves generateContent and streamGenerateContent.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	streamed := method == "streamGenerateContent" && r.URL.Query().Get("alt") == "sse"
	if !streamed && method != "generateContent" {
		writeError(w, http.StatusNotFound, geminiError(http.StatusNotFound, "NOT_FOUND", "no method "+method))
		return
	}
	var wire geminiRequest
	body, err := s.read(w, r, &wire)
	var req *fakemodel.Request
	if err == nil {
		req, err = s.gemini(body, &wire)
	}
	if err != nil {
		s.violated(err)
		writeError(w, http.StatusBadRequest, geminiError(http.StatusBadRequest, "INVALID_ARGUMENT", err.Error()))
		return
	}
	req.Model, req.Stream, req.Body, req.Header = model, streamed, body, r.Header
	a := s.mint(*req)
	parts, finish, err := s.geminiParts(&a)
	if err != nil {
		writeError(w, http.StatusInternalServerError, geminiError(http.StatusInternalServerError, "INTERNAL", err.Error()))
		return
	}
	usage := map[string]any{"promptTokenCount": len(body) / 4, "candidatesTokenCount": 10, "totalTokenCount": len(body)/4 + 10}
	chunk := func(parts []map[string]any, finish string) map[string]any {
		candidate := map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "index": 0}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return map[string]any{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": model}
	}
	refusal := geminiError(a.Fault.Status, a.Fault.Code, a.Fault.Message)
	if !streamed {
		a.Fault.Send(w, r, "application/json", [][]byte{[]byte(encode(chunk(parts, finish)))}, refusal)
		return
	}
	var out frames
	for _, p := range parts {
		out.event("", chunk([]map[string]any{p}, ""))
	}
	out.event("", chunk([]map[string]any{{"text": ""}}, finish))
	if a.Fault.ErrorFrame {
		out.broken("", geminiError(http.StatusServiceUnavailable, a.Fault.Code, a.Fault.Message))
	}
	a.Fault.Send(w, r, "text/event-stream", out, refusal)
}

func geminiError(status int, code, message string) map[string]any {
	return map[string]any{"error": map[string]any{"code": status, "status": code, "message": message}}
}

// geminiParts are an answer's parts, and the reason of its end: the text is signed, and of
// the calls the first. The server reads the calls that its model writes, so one that it cannot
// read is a reason and no part.
func (s *Server) geminiParts(a *fakemodel.Answer) (parts []map[string]any, finish string, err error) {
	finish = "STOP"
	if a.Reasoning != "" {
		parts = append(parts, map[string]any{"text": a.Reasoning, "thought": true})
	}
	if a.Content != "" {
		parts = append(parts, map[string]any{"text": a.Content, "thoughtSignature": s.seal(a.Content)})
	}
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		args, unread := argumentsOf(c)
		if unread != nil {
			finish = "MALFORMED_FUNCTION_CALL"
			break
		}
		call := map[string]any{"name": c.Name, "args": args}
		if c.ID != "" {
			call["id"] = c.ID
		}
		part := map[string]any{"functionCall": call}
		if i == 0 {
			if part["thoughtSignature"], err = s.sealOfCall(c.Name, args); err != nil {
				return nil, "", err
			}
		}
		parts = append(parts, part)
	}
	return parts, finish, nil
}

// encode is the JSON of a value that always can be written.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
