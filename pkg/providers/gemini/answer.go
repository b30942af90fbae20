package gemini

import (
	"encoding/json"
	"strings"

	"parley/pkg/providers"
	"parley/pkg/providers/internal/exchange"
)

// answer puts the pieces of one answer together and emits them.
type answer struct {
	mark     exchange.Mark
	question *question

	answered  bool // there was a candidate
	content   strings.Builder
	reasoning strings.Builder
	layout    layout
	calls     []providers.ToolCall
	ids       map[string]bool
	finish    string // the server's word
	detail    string // the server's text about it
	blocked   feedback
	usage     providers.Usage
	model     string
}

// ended says whether the server has told how the answer ends.
func (a *answer) ended() bool { return a.finish != "" || a.blocked.BlockReason != "" }

func (a *answer) add(c *chunk) {
	if c.ModelVersion != "" {
		a.model = string(c.ModelVersion)
	}
	if c.Usage != nil && c.Usage.Prompt+c.Usage.Total > 0 { // Vertex sends empty ones between
		a.usage = c.Usage.translate()
	}
	if c.PromptFeedback.BlockReason != "" {
		a.blocked = c.PromptFeedback
	}
	for i := range c.Candidates {
		if c.Candidates[i].Index == 0 { // only one was asked for
			a.addCandidate(&c.Candidates[i])
		}
	}
}

func (a *answer) addCandidate(c *candidate) {
	a.answered = true
	for i := range c.Content.Parts {
		a.addPart(&c.Content.Parts[i])
	}
	if c.FinishReason != "" {
		a.finish, a.detail = c.FinishReason, string(c.FinishMessage)
	}
}

func (a *answer) addPart(p *part) {
	switch {
	case p.FunctionCall != nil:
		a.addCall(p)
	case p.Thought:
		a.layout = a.layout.with(pieceThought, len(p.Text), p.Signature)
		if p.Text != "" {
			a.reasoning.WriteString(p.Text)
			a.question.emit(providers.ReasoningDelta{Text: p.Text})
		}
	default:
		a.layout = a.layout.with(pieceText, len(p.Text), p.Signature)
		if p.Text != "" {
			a.content.WriteString(p.Text)
			a.question.emit(providers.TextDelta{Text: p.Text})
		}
	}
}

func (a *answer) addCall(p *part) {
	if len(a.calls) >= providers.MaxCalls {
		return // no caller runs so many
	}
	server := string(p.FunctionCall.ID)
	id := server
	if id == "" || a.ids[id] {
		id = exchange.OwnID(a.question.messages, len(a.calls))
	}
	if a.ids == nil {
		a.ids = make(map[string]bool)
	}
	a.ids[id] = true
	call := providers.ToolCall{
		ID: id, Type: "function", Name: a.offered(p.FunctionCall.Name), RawArguments: p.FunctionCall.arguments(),
		Extra: wrapCall(a.mark, callExtra{ID: server, Signature: p.Signature}),
	}
	var err error
	if call.Arguments, err = providers.DecodeArguments(call.RawArguments); err != nil {
		call.BadArguments = err.Error()
	}
	a.layout = a.layout.with(pieceCall, 0, "")
	a.question.emit(providers.ToolCallDelta{Index: len(a.calls), ID: id, Name: call.Name, Arguments: call.RawArguments})
	a.calls = append(a.calls, call)
}

// offered is the name of a tool as it was offered: the server knows some by another one,
// and a model may write the name of its own folder of tools before it.
func (a *answer) offered(name string) string {
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "default_api:"), "default_api.")
	for i := range a.question.tools {
		if offered := a.question.tools[i].Function.Name; offered == name {
			return name
		} else if wireName(offered) == bare {
			bare = offered
		}
	}
	return bare
}

// response gives the finished answer.
func (a *answer) response() (*providers.LLMResponse, error) {
	if err := a.failure(); err != nil {
		return nil, err
	}
	return &providers.LLMResponse{
		Content: a.content.String(), ToolCalls: a.calls, FinishReason: a.finishReason(), Usage: a.usage,
		Reasoning: a.reasoning.String(), Extra: a.layout.wrap(a.mark), Model: a.model,
	}, nil
}

// failure is the error of an answer that cannot be used, or nil.
func (a *answer) failure() error {
	empty := a.content.Len() == 0 && len(a.calls) == 0
	spoilt := strings.HasPrefix(a.finish, "MALFORMED") // the call that the text announces is missing
	switch {
	case !a.answered && a.blocked.BlockReason != "":
		return a.stopped(providers.KindFiltered, a.blocked.BlockReason, a.blocked.BlockReasonMessage)
	case !a.answered:
		return exchange.Cut("the server sent no answer", nil)
	case !empty && !spoilt:
		return nil
	}
	switch fate(a.finish) {
	case recited:
		return a.stopped(providers.KindRecited, a.finish, a.detail)
	case filtered:
		return a.stopped(providers.KindFiltered, a.finish, a.detail)
	case broken:
		return a.stopped(providers.KindCut, a.finish, a.detail)
	default:
		return nil
	}
}

func (*answer) stopped(kind providers.ErrorKind, code, detail string) error {
	if detail == "" {
		detail = "the server stopped the answer"
	}
	return &providers.Error{Kind: kind, Code: code, Message: detail}
}

// finishReason is the reason in the words of room providers.
func (a *answer) finishReason() string {
	switch fate(a.finish) {
	case complete:
		if len(a.calls) > 0 {
			return providers.FinishToolCalls
		}
		return providers.FinishStop
	case long:
		return providers.FinishLength
	case filtered, recited:
		return providers.FinishContentFilter
	default:
		return strings.ToLower(a.finish)
	}
}

// The fates of an answer.
const (
	complete = iota
	long     // cut at the limit of tokens
	filtered // stopped by a filter
	recited  // stopped because it repeated a published text
	broken   // of no use; another attempt may succeed
)

// fate reads a finish reason. An answer that came whole may lack one.
func fate(finish string) int {
	switch finish {
	case "", "STOP":
		return complete
	case "MAX_TOKENS":
		return long
	case "RECITATION", "IMAGE_RECITATION":
		return recited
	case "SAFETY", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT":
		return filtered
	default: // MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER and those to come
		return broken
	}
}

// decodeFrame adds one frame of a stream.
func (a *answer) decodeFrame(frame []byte) (finished bool, err error) {
	var c chunk
	if err := json.Unmarshal(frame, &c); err != nil {
		return false, exchange.Cut("a piece of the answer is not JSON", err)
	}
	a.add(&c)
	return a.ended(), nil
}
