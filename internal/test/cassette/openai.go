package cassette

import (
	"cmp"
	"encoding/json"
)

type openAICall struct {
	Index    *int
	ID       string
	Function struct{ Name, Arguments string }
}

func openAIRequest(body []byte) (Request, error) {
	var in struct {
		Model     string
		MaxTokens int             `json:"max_tokens"`
		MaxOutput int             `json:"max_completion_tokens"`
		Choice    json.RawMessage `json:"tool_choice"`
		Messages  []struct {
			Role    string
			Content json.RawMessage
			Calls   []openAICall `json:"tool_calls"`
			ID      string       `json:"tool_call_id"`
			Details []block      `json:"reasoning_details"`
		}
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        map[string]any
			}
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, MaxTokens: max(in.MaxTokens, in.MaxOutput), Choice: openAIChoice(in.Choice)}
	for i := range in.Messages {
		m := &in.Messages[i]
		text, pictures, err := openAIContent(m.Content)
		if err != nil {
			return r, err
		}
		if m.Role == "system" {
			r.System += text
			continue
		}
		e := Entry{At: len(r.Entries), Role: m.Role, Text: text, ID: m.ID, Pictures: pictures}
		for _, c := range m.Calls {
			e.Calls = append(e.Calls, Call{ID: c.ID, Name: c.Function.Name, Arguments: value(c.Function.Arguments)})
		}
		e.Signatures = signatures(m.Details)
		r.Entries = append(r.Entries, e)
	}
	for i := range in.Tools {
		f := &in.Tools[i].Function
		r.Tools = append(r.Tools, Tool{Name: f.Name, Description: f.Description, Schema: f.Parameters})
	}
	return r, nil
}

// openAIContent reads a text, or a list of parts.
func openAIContent(raw json.RawMessage) (text string, pictures []string, err error) {
	var parts []struct {
		Text  string
		Image struct{ URL string } `json:"image_url"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	err = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		text += p.Text
		if p.Image.URL != "" {
			pictures = append(pictures, p.Image.URL)
		}
	}
	return text, pictures, err
}

func openAIChoice(raw json.RawMessage) (choice string) {
	var named struct{ Function struct{ Name string } }
	if len(raw) == 0 || json.Unmarshal(raw, &choice) == nil {
		return choice
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return err.Error()
	}
	return named.Function.Name
}

// block is a part of the reasoning that the server wants back.
type block map[string]any

// joined adds pieces to blocks: one that has the type and index of the last block goes on
// with its texts.
func joined(blocks, pieces []block) []block {
	for _, piece := range pieces {
		n := len(blocks)
		if n == 0 || blocks[n-1]["type"] != piece["type"] || blocks[n-1]["index"] != piece["index"] {
			blocks = append(blocks, piece)
			continue
		}
		last := blocks[n-1]
		for k, v := range piece {
			text, isText := v.(string)
			before, wasText := last[k].(string)
			switch {
			case isText && wasText && (k == "text" || k == "summary" || k == "data"):
				last[k] = before + text
			case v != nil:
				last[k] = v
			}
		}
	}
	return blocks
}

// signatures are blocks as texts, with their fields in order.
func signatures(blocks []block) (out []string) {
	for _, b := range blocks {
		text, err := json.Marshal(b)
		if err != nil {
			text = []byte(err.Error())
		}
		out = append(out, string(text))
	}
	return out
}

func openAIAnswer(frames []string) (Answer, error) {
	type delta struct {
		Content          string
		Reasoning        string
		ReasoningContent string       `json:"reasoning_content"`
		Calls            []openAICall `json:"tool_calls"`
		Details          []block      `json:"reasoning_details"`
	}
	var a Answer
	var blocks []block
	at := map[int]int{} // position of a call by its index
	for _, frame := range frames {
		var in struct {
			Choices []struct{ Delta, Message delta }
			Usage   *struct {
				Prompt  int `json:"prompt_tokens"`
				Output  int `json:"completion_tokens"`
				Total   int `json:"total_tokens"`
				Hit     int `json:"prompt_cache_hit_tokens"`
				Details struct {
					Cached int `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
				OutputDetails struct {
					Thought int `json:"reasoning_tokens"`
				} `json:"completion_tokens_details"`
			}
		}
		if err := json.Unmarshal([]byte(frame), &in); err != nil {
			return a, err
		}
		if u := in.Usage; u != nil {
			a.Prompt, a.Output, a.Cached, a.Thought = u.Prompt, u.Output, max(u.Details.Cached, u.Hit), u.OutputDetails.Thought
			if u.Prompt+u.Output+a.Thought == u.Total { // reasoning is counted apart
				a.Output += a.Thought
			}
		}
		if len(in.Choices) == 0 {
			continue
		}
		for _, d := range []delta{in.Choices[0].Delta, in.Choices[0].Message} {
			a.Text += d.Content
			blocks = joined(blocks, d.Details)
			a.Reasoning += cmp.Or(d.ReasoningContent, d.Reasoning)
			for i := range d.Calls {
				index := i
				if d.Calls[i].Index != nil {
					index = *d.Calls[i].Index
				}
				if _, there := at[index]; !there {
					at[index] = len(a.Calls)
					a.Calls = append(a.Calls, Call{ID: d.Calls[i].ID})
				}
				c := &a.Calls[at[index]]
				c.Name += d.Calls[i].Function.Name
				c.Raw += d.Calls[i].Function.Arguments
			}
		}
	}
	a.Signatures = signatures(blocks)
	return a, nil
}
