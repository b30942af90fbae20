package fakemodel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"

	"parley/internal/test/fakehttp"
	"parley/pkg/providers"
)

// transmit writes an answer with its fault; false means that the client did not wait.
func transmit(w http.ResponseWriter, r *http.Request, req *Request, a Answer) bool {
	a.complete(req)
	if req.Stream {
		return a.Fault.Send(w, r, "text/event-stream", a.frames(req), errorBody(a.Fault))
	}
	return a.Fault.Send(w, r, "application/json", [][]byte{a.whole(req)}, errorBody(a.Fault))
}

// Send writes an answer of any wire with the fault: the frames of its body, or the refusal
// where the fault has a status. It is false if the client did not wait. [Fault.ErrorFrame],
// [Fault.NoDone] and [Fault.NoFinish] are the caller's.
func (f *Fault) Send(w http.ResponseWriter, r *http.Request, contentType string, frames [][]byte, refusal any) bool {
	if !fakehttp.Pause(r.Context(), f.Latency) {
		return false
	}
	h := w.Header()
	if f.RetryAfter != "" {
		h.Set("Retry-After", f.RetryAfter)
	}
	switch {
	case f.Body != "":
		contentType = cmp.Or(f.ContentType, "text/html")
		frames = [][]byte{[]byte(f.Body)}
	case f.Status != 0:
		fakehttp.WriteJSON(w, f.Status, refusal, 0)
		return true
	}
	h.Set("Content-Type", contentType)
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	return send(w, r, frames, f)
}

func send(w http.ResponseWriter, r *http.Request, frames [][]byte, f *Fault) bool {
	flush := func() bool { return http.NewResponseController(w).Flush() == nil }
	frames, broken := f.cut(frames)
	body := bytes.Join(frames, nil)
	switch {
	case f.Piece > 0:
		frames = pieces(body, f.Piece)
	case f.Gap == 0:
		frames = [][]byte{body}
	}
	for _, frame := range frames {
		if _, err := w.Write(frame); err != nil || !flush() || !fakehttp.Pause(r.Context(), f.Gap) {
			return false
		}
	}
	switch {
	case f.Silence:
		flush()
		<-r.Context().Done()
		return false
	case broken:
		flush()
		panic(http.ErrAbortHandler) // the server's way to break a connection
	}
	return true
}

// cut gives what is left of an answer, and whether its connection breaks behind it.
func (f *Fault) cut(frames [][]byte) (left [][]byte, broken bool) {
	body := bytes.Join(frames, nil)
	switch {
	case f.Frames != 0 && f.Frames < len(frames):
		return frames[:max(f.Frames, 0)], true
	case f.Silence && f.Cut == 0:
		return nil, true
	case f.Cut > 0 && f.Cut < len(body):
		return [][]byte{body[:f.Cut]}, true
	}
	return frames, false
}

func pieces(body []byte, size int) [][]byte {
	var out [][]byte
	for len(body) > 0 {
		n := min(size, len(body))
		out = append(out, body[:n])
		body = body[n:]
	}
	return out
}

func writeError(w http.ResponseWriter, status int, f Fault) {
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	fakehttp.WriteJSON(w, status, errorBody(f), 0)
}

func errorBody(f Fault) map[string]any {
	return map[string]any{"error": map[string]any{"message": f.Message, "type": f.Code, "param": nil, "code": f.Code}}
}

// encode writes JSON of values that always can be written.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

type outMessage struct {
	Role      string    `json:"role,omitempty"`
	Content   *string   `json:"content,omitempty"`
	Reasoning string    `json:"reasoning_content,omitempty"`
	ToolCalls []outCall `json:"tool_calls,omitempty"`
}

type outCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function wireFunction `json:"function"`
}

type outChoice struct {
	Index        int         `json:"index"`
	Message      *outMessage `json:"message,omitempty"`
	Delta        *outMessage `json:"delta,omitempty"`
	FinishReason *string     `json:"finish_reason"`
}

type outAnswer struct {
	ID      string      `json:"id"`
	Object  string      `json:"object"`
	Created int64       `json:"created"`
	Model   string      `json:"model"`
	Choices []outChoice `json:"choices"`
	Usage   *outUsage   `json:"usage,omitempty"`
}

// outUsage is the use of an answer, with the details apart.
type outUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	PromptDetails    struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (a *Answer) usage() *outUsage {
	u := &outUsage{PromptTokens: a.Usage.PromptTokens, CompletionTokens: a.Usage.CompletionTokens, TotalTokens: a.Usage.TotalTokens}
	u.PromptDetails.CachedTokens, u.CompletionDetails.ReasoningTokens = a.Usage.CachedTokens, a.Usage.ReasoningTokens
	return u
}

func newAnswer(req *Request, object string, choices ...outChoice) *outAnswer {
	if choices == nil {
		choices = []outChoice{}
	}
	return &outAnswer{ID: "chatcmpl-" + strconv.Itoa(req.N), Object: object, Created: 1, Model: req.Model, Choices: choices}
}

// whole is the answer as one object.
func (a *Answer) whole(req *Request) []byte {
	m := &outMessage{Role: providers.RoleAssistant, Content: &a.Content, Reasoning: a.Reasoning}
	for i := range a.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, outCall{
			ID: a.ToolCalls[i].ID, Type: "function",
			Function: wireFunction{Name: a.ToolCalls[i].Name, Arguments: argumentsOf(&a.ToolCalls[i])},
		})
	}
	choice := outChoice{Message: m, FinishReason: &a.FinishReason}
	if a.Fault.NoFinish {
		choice.FinishReason = nil
	}
	out := newAnswer(req, "chat.completion", choice)
	out.Usage = a.usage()
	return encode(out)
}

// frames are the answer as events.
func (a *Answer) frames(req *Request) [][]byte {
	var out [][]byte
	event := func(v any) { out = append(out, append(append([]byte("data: "), encode(v)...), "\n\n"...)) }
	say := func(m *outMessage, finish *string) {
		event(newAnswer(req, "chat.completion.chunk", outChoice{Delta: m, FinishReason: finish}))
	}
	empty := ""
	say(&outMessage{Role: providers.RoleAssistant, Content: &empty}, nil)
	if a.Reasoning != "" {
		say(&outMessage{Reasoning: a.Reasoning}, nil)
	}
	for _, half := range halves(a.Content) {
		say(&outMessage{Content: &half}, nil)
	}
	for i := range a.ToolCalls {
		c := &a.ToolCalls[i]
		say(&outMessage{ToolCalls: []outCall{{Index: &i, ID: c.ID, Type: "function", Function: wireFunction{Name: c.Name}}}}, nil)
		for _, half := range halves(argumentsOf(c)) {
			say(&outMessage{ToolCalls: []outCall{{Index: &i, Function: wireFunction{Arguments: half}}}}, nil)
		}
	}
	if a.Fault.ErrorFrame {
		out = out[:(len(out)+1)/2]
		event(errorBody(a.Fault))
		return out
	}
	if !a.Fault.NoFinish {
		say(&outMessage{}, &a.FinishReason)
	}
	if req.IncludeUsage {
		last := newAnswer(req, "chat.completion.chunk")
		last.Usage = a.usage()
		event(last)
	}
	if !a.Fault.NoDone {
		out = append(out, []byte("data: [DONE]\n\n"))
	}
	return out
}

// halves cuts s in two at a rune's start, so that answers really come in pieces.
func halves(s string) []string {
	if s == "" {
		return nil
	}
	at := len(s) / 2
	for at > 0 && s[at]&0xC0 == 0x80 {
		at--
	}
	if at == 0 {
		return []string{s}
	}
	return []string{s[:at], s[at:]}
}

// argumentsOf is the text of a call's arguments.
func argumentsOf(c *providers.ToolCall) string {
	if c.RawArguments != "" || c.Arguments == nil {
		return c.RawArguments
	}
	return string(encode(c.Arguments))
}
