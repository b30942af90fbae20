package cassette

import (
	"encoding/json"
	"fmt"
	"strings"
)

type geminiPart struct {
	Text      string
	Thought   bool
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID, Name string
		Args     any
	} `json:"functionCall"`
	Result *struct {
		ID, Name string
		Response map[string]any
	} `json:"functionResponse"`
	Inline struct{ MIMEType, Data string } `json:"inlineData"`
	File   struct{ FileURI string }        `json:"fileData"`
}

// place is where a part's signature belongs, with so many calls before it.
func (p *geminiPart) place(calls int) string {
	switch {
	case p.Call != nil:
		return fmt.Sprint("call ", calls)
	case p.Thought:
		return "thought"
	default:
		return "text"
	}
}

type geminiContent struct {
	Role  string
	Parts []geminiPart
}

func geminiRequest(body []byte) (Request, error) {
	var in struct {
		System   geminiContent `json:"systemInstruction"`
		Contents []geminiContent
		Config   struct {
			MaxOutputTokens int
			ThinkingConfig  struct{ IncludeThoughts bool }
		} `json:"generationConfig"`
		ToolConfig struct {
			Calling struct {
				Mode    string
				Allowed []string `json:"allowedFunctionNames"`
			} `json:"functionCallingConfig"`
		}
		Tools []struct {
			Declarations []struct {
				Name, Description string
				Parameters        map[string]any
				Schema            map[string]any `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{MaxTokens: in.Config.MaxOutputTokens, Thinking: in.Config.ThinkingConfig.IncludeThoughts}
	switch calling := &in.ToolConfig.Calling; {
	case len(calling.Allowed) > 0:
		r.Choice = strings.Join(calling.Allowed, ",")
	case calling.Mode == "ANY":
		r.Choice = "required"
	default:
		r.Choice = strings.ToLower(calling.Mode)
	}
	for _, p := range in.System.Parts {
		r.System += p.Text
	}
	for i, c := range in.Contents {
		r.Entries = append(r.Entries, geminiEntries(i, &c)...)
	}
	for _, t := range in.Tools {
		for _, d := range t.Declarations {
			if d.Parameters == nil {
				d.Parameters = d.Schema
			}
			r.Tools = append(r.Tools, Tool{Name: d.Name, Description: d.Description, Schema: lower(d.Parameters)})
		}
	}
	return r, nil
}

// geminiEntries gives the results in a content, and its other parts as one entry.
func geminiEntries(at int, c *geminiContent) []Entry {
	var out []Entry
	rest := Entry{At: at, Role: strings.Replace(c.Role, "model", "assistant", 1)}
	said := false
	for _, p := range c.Parts {
		if f := p.Result; f != nil {
			text, _ := f.Response["result"].(string)
			if len(f.Response) != 1 || f.Response["result"] == nil {
				text = encode(f.Response)
			}
			out = append(out, Entry{At: at, Role: "tool", ID: f.ID, Name: f.Name, Text: text})
			continue
		}
		said = true
		if p.Signature != "" {
			rest.Signatures = append(rest.Signatures, p.place(len(rest.Calls))+" "+p.Signature)
		}
		if p.Call != nil {
			rest.Calls = append(rest.Calls, Call{ID: p.Call.ID, Name: p.Call.Name, Arguments: p.Call.Args})
		}
		if p.Inline.Data != "" {
			rest.Pictures = append(rest.Pictures, dataURL(p.Inline.MIMEType, p.Inline.Data))
		}
		if p.File.FileURI != "" {
			rest.Pictures = append(rest.Pictures, p.File.FileURI)
		}
		if !p.Thought {
			rest.Text += p.Text
		}
	}
	if said {
		out = append(out, rest)
	}
	return out
}

func geminiAnswer(frames []string) (Answer, error) {
	var a Answer
	for _, frame := range frames {
		var in struct {
			Candidates []struct{ Content geminiContent }
			Usage      *struct {
				Prompt  int `json:"promptTokenCount"`
				Output  int `json:"candidatesTokenCount"`
				Thought int `json:"thoughtsTokenCount"`
				Cached  int `json:"cachedContentTokenCount"`
			} `json:"usageMetadata"`
		}
		if err := json.Unmarshal([]byte(frame), &in); err != nil {
			return a, err
		}
		if u := in.Usage; u != nil {
			a.Prompt, a.Output, a.Thought, a.Cached = u.Prompt, u.Output+u.Thought, u.Thought, u.Cached
		}
		if len(in.Candidates) == 0 {
			continue
		}
		for _, p := range in.Candidates[0].Content.Parts {
			if p.Signature != "" {
				a.Signatures = append(a.Signatures, p.place(len(a.Calls))+" "+p.Signature)
			}
			switch {
			case p.Call != nil:
				a.Calls = append(a.Calls, Call{ID: p.Call.ID, Name: p.Call.Name, Arguments: p.Call.Args})
			case p.Thought:
				a.Reasoning += p.Text
			default:
				a.Text += p.Text
			}
		}
	}
	return a, nil
}
