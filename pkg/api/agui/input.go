package agui

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/shelf"
)

// input is the body of a run. Other fields pass, and have no effect.
type input struct {
	ThreadID string        `json:"threadId"`
	RunID    string        `json:"runId"`
	Messages []message     `json:"messages"`
	Tools    []tool        `json:"tools"`
	Context  []contextItem `json:"context"`
	Resume   []resumeEntry `json:"resume"`
	// Forwarded is any JSON; an object may have our options below the key parley.
	Forwarded json.RawMessage `json:"forwardedProps"`
}

// message is one of the conversation as the client tells it.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	CallID  string          `json:"toolCallId"`
	Error   string          `json:"error"`
}

// tool is one that the client runs.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// contextItem is something that the client lets the model know.
type contextItem struct {
	Description string `json:"description"`
	Value       string `json:"value"`
}

// resumeEntry answers an interrupt.
type resumeEntry struct {
	ID      string          `json:"interruptId"`
	Status  string          `json:"status"`
	Payload json.RawMessage `json:"payload"`
}

// The bounds of an input.
const (
	maxBody    = 8 << 20 // clients send the whole conversation each time
	maxID      = 512
	maxEntries = 10_000
	// The words of the client's author.
	maxInstructions = 256 << 10
)

// check refuses what is no run.
func (in *input) check() *httpd.Refusal {
	switch {
	case in.ThreadID == "" || len(in.ThreadID) > maxID:
		return bad("threadId", fmt.Sprintf(textThread, maxID))
	case in.RunID == "" || len(in.RunID) > maxID:
		return bad("runId", fmt.Sprintf(textRun, maxID))
	case len(in.Messages) > maxEntries || len(in.Resume) > maxEntries || len(in.Context) > maxEntries:
		return bad("messages", fmt.Sprintf(textMessages, maxEntries))
	}
	return in.checkTools()
}

// toolName is how tools are called everywhere.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkTools refuses tools that no model could be offered.
func (in *input) checkTools() *httpd.Refusal {
	if len(in.Tools) > channels.MaxCallerTools {
		return bad("tools", fmt.Sprintf(textManyTools, channels.MaxCallerTools))
	}
	names := map[string]bool{}
	for i := range in.Tools {
		t := &in.Tools[i]
		if !toolName.MatchString(t.Name) || names[t.Name] {
			return bad("tools", fmt.Sprintf(textToolName, t.Name))
		}
		names[t.Name] = true
		var schema map[string]any
		if len(t.Parameters) > 0 && json.Unmarshal(t.Parameters, &schema) != nil {
			return bad("tools", fmt.Sprintf(textToolSchema, t.Name))
		}
	}
	return nil
}

func bad(param, message string) *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: message, Param: param}
}

// chatOf is the chat of a thread: the thread's own id where that can be one of a chat.
func chatOf(thread string, fits func(string) bool) string {
	if fits(thread) && !strings.HasPrefix(thread, channels.PassingID) && !strings.HasPrefix(thread, channels.LinkedID) {
		return thread
	}
	sum := sha256.Sum256([]byte(thread))
	return "agui-" + hex.EncodeToString(sum[:16])
}

// The roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
	roleReasoning = "reasoning"
)

// news is what a run brings that the chat does not have.
type news struct {
	// text is that of the user messages behind the last one of the assistant, pictures are theirs.
	text     string
	pictures []shelf.Picture
	// results are the messages of tools there.
	results []result
	request native.Request
	brought native.Brought
}

// result is what the client says that a tool gave.
type result struct{ id, text string }

// news reads what is new in a run.
func (in *input) news() (*news, *httpd.Refusal) {
	var forwarded struct {
		Parley native.Request `json:"parley"`
	}
	if len(in.Forwarded) > 0 && in.Forwarded[0] == '{' {
		if err := json.Unmarshal(in.Forwarded, &forwarded); err != nil {
			return nil, bad("forwardedProps", err.Error())
		}
	}
	n := &news{request: forwarded.Parley}
	var texts []string
	for _, m := range slices.Backward(in.Messages) {
		if m.Role == roleAssistant {
			break
		}
		if m.Role != roleUser && m.Role != roleTool {
			continue
		}
		if m.Role == roleUser {
			text, shown, f := contentOf(m.Content)
			if f != nil {
				return nil, f
			}
			texts, n.pictures = append(texts, text), append(shown, n.pictures...)
			continue
		}
		text, f := textOf(m.Content)
		if f != nil {
			return nil, f
		}
		n.results = append(n.results, result{m.CallID, cmp.Or(text, m.Error)})
	}
	if len(n.pictures) > shelf.MostPictures {
		return nil, bad("messages", fmt.Sprintf(textPictures, shelf.MostPictures))
	}
	slices.Reverse(texts)
	slices.Reverse(n.results)
	n.text = strings.TrimSpace(strings.Join(texts, "\n\n"))
	for i := range in.Tools {
		t := &in.Tools[i]
		n.brought.Caller = append(n.brought.Caller, channels.CallerTool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	var f *httpd.Refusal
	n.brought.Instructions, f = in.instructions()
	return n, f
}

// instructions are the words of the client's author: they stand behind those of the operator.
func (in *input) instructions() (string, *httpd.Refusal) {
	var all []string
	for i := range in.Messages {
		if m := &in.Messages[i]; m.Role == "system" || m.Role == "developer" {
			text, f := textOf(m.Content)
			if f != nil {
				return "", f
			}
			all = append(all, text)
		}
	}
	for _, c := range in.Context {
		all = append(all, c.Description+": "+c.Value)
	}
	whole := strings.Join(all, "\n\n")
	if len(whole) > maxInstructions {
		return "", bad("messages", fmt.Sprintf(textInstructions, maxInstructions>>10))
	}
	return whole, nil
}

// textOf is the text of the content of a message without pictures.
func textOf(content json.RawMessage) (string, *httpd.Refusal) {
	text, pictures, f := contentOf(content)
	if f == nil && len(pictures) > 0 {
		f = bad("messages", textContent)
	}
	return text, f
}

// contentOf is the text of the content of a message, and its pictures.
func contentOf(content json.RawMessage) (text string, pictures []shelf.Picture, f *httpd.Refusal) {
	if json.Unmarshal(content, &text) == nil {
		return text, nil, nil
	}
	var parts []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		Source source `json:"source"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", nil, bad("messages", textContent)
	}
	for i := range parts {
		switch p := &parts[i]; p.Type {
		case "text":
			text += p.Text
		case "image":
			shown, ok := p.Source.read()
			if !ok {
				return "", nil, bad("messages", textContent)
			}
			pictures = append(pictures, shown)
		default:
			return "", nil, bad("messages", textContent)
		}
	}
	return text, pictures, nil
}

// source is where the bytes of a part are.
type source struct {
	Type  string `json:"type"`
	Value string `json:"value"`
	Kind  string `json:"mimeType"`
}

// read gives the picture that a source has in itself.
func (s *source) read() (shelf.Picture, bool) {
	switch s.Type {
	case "data":
		return shelf.ReadPicture(s.Kind, s.Value)
	case "url":
		return shelf.ReadPictureURL(s.Value)
	default:
		return shelf.Picture{}, false
	}
}
