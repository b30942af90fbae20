package gemini

import (
	"bytes"
	"encoding/json"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// chunk is one frame of a stream, or a whole answer.
type chunk struct {
	Candidates     []candidate        `json:"candidates"`
	PromptFeedback feedback           `json:"promptFeedback"`
	Usage          *usage             `json:"usageMetadata"`
	ModelVersion   exchange.LooseText `json:"modelVersion"`
}

type candidate struct {
	Index         exchange.Count     `json:"index"`
	Content       content            `json:"content"`
	FinishReason  string             `json:"finishReason"`
	FinishMessage exchange.LooseText `json:"finishMessage"`
}

type content struct {
	Parts []part `json:"parts"`
}

// feedback tells why a prompt was blocked.
type feedback struct {
	BlockReason        string `json:"blockReason"`
	BlockReasonMessage string `json:"blockReasonMessage"`
}

// part is a piece of text or a call, with the signature of the thoughts that led to it.
type part struct {
	Text         string        `json:"text"`
	Thought      bool          `json:"thought"`
	Signature    string        `json:"thoughtSignature"`
	FunctionCall *functionCall `json:"functionCall"`
}

type functionCall struct {
	ID   exchange.LooseText `json:"id"`
	Name string             `json:"name"`
	Args json.RawMessage    `json:"args"`
}

// arguments is the text of a call's arguments, on one line.
func (c *functionCall) arguments() string {
	if len(c.Args) == 0 || string(c.Args) == "null" {
		return "{}"
	}
	var b bytes.Buffer
	if json.Compact(&b, c.Args) != nil {
		return string(c.Args)
	}
	return b.String()
}

type usage struct {
	Prompt   exchange.Count `json:"promptTokenCount"`
	ToolUse  exchange.Count `json:"toolUsePromptTokenCount"`
	Answer   exchange.Count `json:"candidatesTokenCount"`
	Thoughts exchange.Count `json:"thoughtsTokenCount"`
	Cached   exchange.Count `json:"cachedContentTokenCount"`
	Total    exchange.Count `json:"totalTokenCount"`
}

// UnmarshalJSON keeps the counts that it finds.
func (u *usage) UnmarshalJSON(b []byte) error {
	type plain usage
	_ = json.Unmarshal(b, (*plain)(u)) // a count of another form is unknown
	return nil
}

// translate counts the thoughts as a part of the answer, as other servers and the bill do.
func (u *usage) translate() providers.Usage {
	out := providers.Usage{
		PromptTokens: int(u.Prompt + u.ToolUse), CompletionTokens: int(u.Answer + u.Thoughts), TotalTokens: int(u.Total),
		CachedTokens: int(u.Cached), ReasoningTokens: int(u.Thoughts),
	}
	if out.TotalTokens == 0 {
		out.TotalTokens = out.PromptTokens + out.CompletionTokens
	}
	return out
}

// answers is a server's reply to a request for no stream of events: an answer, or the
// chunks of one in a list.
type answers []chunk

// UnmarshalJSON takes an object and a list of objects.
func (a *answers) UnmarshalJSON(b []byte) error {
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]chunk)(a))
	}
	var c chunk
	if err := json.Unmarshal(b, &c); err != nil {
		return err
	}
	*a = answers{c}
	return nil
}
