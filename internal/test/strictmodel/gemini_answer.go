package strictmodel

import (
	"encoding/json"
	"net/http"
	"strings"

	"parley/internal/test/fakehttp"
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
	if f := a.Fault; f.Status != 0 {
		writeError(w, f.Status, geminiError(f.Status, f.Code, f.Message))
		return
	}
	parts, err := s.geminiParts(&a)
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
	if !streamed {
		fakehttp.WriteJSON(w, http.StatusOK, chunk(parts, "STOP"), 0)
		return
	}
	w = stream(w, &a.Fault)
	for _, p := range parts {
		event(w, "", chunk([]map[string]any{p}, ""))
	}
	event(w, "", chunk([]map[string]any{{"text": ""}}, "STOP"))
}

func geminiError(status int, code, message string) map[string]any {
	return map[string]any{"error": map[string]any{"code": status, "status": code, "message": message}}
}

// geminiParts are an answer's parts: the text is signed, and of the calls the first.
func (s *Server) geminiParts(a *fakemodel.Answer) ([]map[string]any, error) {
	var parts []map[string]any
	if a.Reasoning != "" {
		parts = append(parts, map[string]any{"text": a.Reasoning, "thought": true})
	}
	if a.Content != "" {
		parts = append(parts, map[string]any{"text": a.Content, "thoughtSignature": s.seal(a.Content)})
	}
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		args, err := argumentsOf(c)
		if err != nil {
			return nil, err
		}
		call := map[string]any{"name": c.Name, "args": args}
		if c.ID != "" {
			call["id"] = c.ID
		}
		part := map[string]any{"functionCall": call}
		if i == 0 {
			if part["thoughtSignature"], err = s.sealOfCall(c.Name, args); err != nil {
				return nil, err
			}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// encode is the JSON of a value that always can be written.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
