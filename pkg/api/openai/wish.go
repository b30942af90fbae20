package openai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/pkg/channels"
	"parley/pkg/httpd"
	"parley/pkg/shelf"
)

// content is a text, null, or a list of parts.
type content struct {
	text string
	// pictures are those of its parts.
	pictures []shelf.Picture
	// other says that it has something else than texts and pictures.
	other bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if raw[0] == '"' {
		return json.Unmarshal(raw, &c.text)
	}
	var parts []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
		// Picture is a text, or an object with one.
		Picture json.RawMessage `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		case "refusal":
			texts = append(texts, p.Refusal)
		case "image_url", "input_image":
			shown, ok := readPicture(p.Picture)
			c.pictures, c.other = append(c.pictures, shown), c.other || !ok
		default:
			c.other = true
		}
	}
	c.text = strings.Join(texts, "\n")
	return nil
}

// MarshalJSON implements [json.Marshaler], for the sum of a request.
func (c *content) MarshalJSON() ([]byte, error) {
	if len(c.pictures) == 0 {
		return json.Marshal(c.text)
	}
	parts := []string{c.text}
	for i := range c.pictures {
		parts = append(parts, c.pictures[i].Sum)
	}
	return json.Marshal(parts)
}

// only says that content holds nothing but texts and, where they may, pictures.
func (c *content) only(pictures bool) bool {
	return !c.other && (pictures || len(c.pictures) == 0)
}

// function is a tool that the client runs.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// toolName is the form of a name.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// takeTools adds the tools of a request to a wish. An empty list takes all tools away.
func takeTools(w *channels.Wish, all []function) *httpd.Refusal {
	if all != nil && len(all) == 0 {
		w.NoTools = true
		return nil
	}
	if len(all) > channels.MaxCallerTools {
		return bad("tools", fmt.Sprintf(textTools, channels.MaxCallerTools))
	}
	taken := map[string]bool{}
	for i := range all {
		f := &all[i]
		var schema map[string]any
		if !toolName.MatchString(f.Name) || taken[f.Name] || len(f.Parameters) > 0 && json.Unmarshal(f.Parameters, &schema) != nil {
			return bad(fmt.Sprintf("tools[%d]", i), fmt.Sprintf(textTools, channels.MaxCallerTools))
		}
		taken[f.Name] = true
		w.Caller = append(w.Caller, channels.CallerTool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	}
	return nil
}

// takeChoice adds tool_choice to a wish. Without a choice among tools there are none.
func takeChoice(w *channels.Wish, raw json.RawMessage) *httpd.Refusal {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var word string
	var named struct {
		Type     string   `json:"type"`
		Name     string   `json:"name"`
		Function function `json:"function"`
	}
	if json.Unmarshal(raw, &word) != nil {
		if json.Unmarshal(raw, &named) != nil || named.Type != "function" {
			return bad("tool_choice", textToolChoice)
		}
		w.Choice, w.Tool = channels.ChoiceTool, named.Name+named.Function.Name
		for i := range w.Caller {
			if w.Caller[i].Name == w.Tool {
				return nil
			}
		}
		return bad("tool_choice", textToolChoice)
	}
	switch word {
	case channels.ChoiceAuto, channels.ChoiceRequired:
		w.Choice = word
	case channels.ChoiceNone:
		w.NoTools, w.Caller = true, nil
	default:
		return bad("tool_choice", textToolChoice)
	}
	return nil
}

// fits says why the words of a wish cannot be taken.
func fits(w *channels.Wish, param string) *httpd.Refusal {
	if len(w.Said) == 0 {
		return bad(param, textNoMessages)
	}
	if len(w.Said) > channels.MaxSaid {
		return bad(param, fmt.Sprintf(textManyMessages, channels.MaxSaid))
	}
	if w.SaidSize() > channels.MaxSaidBytes {
		return bad(param, fmt.Sprintf(textTooLong, channels.MaxSaidBytes))
	}
	if w.Said[len(w.Said)-1].Role == roleAssistant {
		return bad(param, textLast)
	}
	return nil
}

// answered says why the words are no conversation: each call that an assistant's message
// claims has its result behind it, as each server of the protocol wants it.
func answered(w *channels.Wish, param string) *httpd.Refusal {
	open, known := map[string]bool{}, map[string]bool{}
	for i := range w.Said {
		s := &w.Said[i]
		if s.Role == roleTool {
			if !known[s.CallID] {
				return bad(param, fmt.Sprintf(textOrphan, s.CallID))
			}
			delete(open, s.CallID)
			continue
		}
		for id := range open {
			return bad(param, fmt.Sprintf(textUnanswered, id))
		}
		for j := range s.Calls {
			open[s.Calls[j].ID], known[s.Calls[j].ID] = true, true
		}
	}
	for id := range open {
		return bad(param, fmt.Sprintf(textUnanswered, id))
	}
	return nil
}

// newest keeps the words behind the last answer: a lasting chat has the others itself.
func newest(w *channels.Wish) {
	for i := range slices.Backward(w.Said) {
		if w.Said[i].Role == roleAssistant {
			w.Said = w.Said[i+1:]
			return
		}
	}
}

// The roles of the protocol.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
	roleSystem    = "system"
	roleDeveloper = "developer"
)
