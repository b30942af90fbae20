package cassette

import (
	"encoding/json"
)

type anthropicBlock struct {
	Type, Text, ID, Name      string
	Thinking, Signature, Data string
	Input                     json.RawMessage
	ToolUseID                 string `json:"tool_use_id"`
	Content                   texts
	Source                    struct {
		Type, Data, URL string
		MediaType       string `json:"media_type"`
	}
}

func anthropicRequest(body []byte) (Request, error) {
	var in struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		System    texts
		Thinking  struct{ Type string }
		Choice    struct{ Type, Name string } `json:"tool_choice"`
		Messages  []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Name, Description string
			Schema            map[string]any `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, MaxTokens: in.MaxTokens, System: string(in.System), Thinking: in.Thinking.Type == "enabled"}
	switch in.Choice.Type {
	case "any":
		r.Choice = "required"
	case "tool":
		r.Choice = in.Choice.Name
	default:
		r.Choice = in.Choice.Type
	}
	for i, m := range in.Messages {
		var blocks []anthropicBlock
		if json.Unmarshal(m.Content, &blocks) != nil {
			var text texts
			if err := json.Unmarshal(m.Content, &text); err != nil {
				return r, err
			}
			blocks = []anthropicBlock{{Type: "text", Text: string(text)}}
		}
		r.Entries = append(r.Entries, anthropicEntries(i, m.Role, blocks)...)
	}
	for i := range in.Tools {
		t := &in.Tools[i]
		r.Tools = append(r.Tools, Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return r, nil
}

// anthropicEntries gives the results in a message, and its other blocks as one entry.
func anthropicEntries(at int, role string, blocks []anthropicBlock) []Entry {
	var out []Entry
	rest := Entry{At: at, Role: role}
	said := false
	for i := range blocks {
		b := &blocks[i]
		if b.Type == "tool_result" {
			out = append(out, Entry{At: at, Role: "tool", ID: b.ToolUseID, Text: string(b.Content)})
			continue
		}
		said = true
		switch b.Type {
		case "text":
			rest.Text += b.Text
		case "image":
			url := b.Source.URL
			if b.Source.Type == "base64" {
				url = dataURL(b.Source.MediaType, b.Source.Data)
			}
			rest.Pictures = append(rest.Pictures, url)
		case "tool_use":
			rest.Calls = append(rest.Calls, Call{ID: b.ID, Name: b.Name, Arguments: value(string(b.Input))})
		case "thinking":
			rest.Signatures = append(rest.Signatures, "thinking "+b.Thinking+b.Signature)
		case "redacted_thinking":
			rest.Signatures = append(rest.Signatures, "redacted "+b.Data)
		}
	}
	if said {
		out = append(out, rest)
	}
	return out
}

type anthropicUsage struct {
	Input   int `json:"input_tokens"`
	Created int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

// add counts what a later report says: it need not repeat the prompt.
func (u anthropicUsage) add(a *Answer) {
	if prompt := u.Input + u.Created + u.Cached; prompt > 0 {
		a.Prompt, a.Cached = prompt, u.Cached
	}
	a.Output = max(a.Output, u.Output)
}

func anthropicAnswer(frames []string) (Answer, error) {
	var a Answer
	call := map[int]int{} // position of a call by its block's index
	for _, frame := range frames {
		var in struct {
			Index   int
			Message struct{ Usage anthropicUsage }
			Usage   anthropicUsage
			Content []anthropicBlock
			Block   *anthropicBlock `json:"content_block"`
			Delta   struct {
				Text, Thinking string
				Signature      string
				PartialJSON    string `json:"partial_json"`
			}
		}
		if err := json.Unmarshal([]byte(frame), &in); err != nil {
			return a, err
		}
		in.Message.Usage.add(&a)
		in.Usage.add(&a)
		if in.Block != nil {
			in.Content = append(in.Content, *in.Block)
		}
		for i := range in.Content {
			b := &in.Content[i]
			a.Text += b.Text
			a.Reasoning += b.Thinking
			switch b.Type {
			case "thinking":
				a.Signatures = append(a.Signatures, "thinking "+b.Thinking+b.Signature)
			case "redacted_thinking":
				a.Signatures = append(a.Signatures, "redacted "+b.Data)
			}
			if b.Type != "tool_use" {
				continue
			}
			call[in.Index] = len(a.Calls)
			c := Call{ID: b.ID, Name: b.Name}
			if in.Block == nil { // a whole answer has the arguments here
				c.Arguments = value(string(b.Input))
			}
			a.Calls = append(a.Calls, c)
		}
		if more := in.Delta.Thinking + in.Delta.Signature; more != "" { // the signature is the last
			a.Signatures[len(a.Signatures)-1] += more
		}
		a.Text += in.Delta.Text
		a.Reasoning += in.Delta.Thinking
		if n, ok := call[in.Index]; ok && in.Delta.PartialJSON != "" {
			a.Calls[n].Raw += in.Delta.PartialJSON
		}
	}
	return a, nil
}
