package asking

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"parley/pkg/providers"
)

// limitText is shown to the model in the round after the last.
const limitText = "iteration limit reached; finalise your answer"

// Question is one request of a loop to its model.
type Question struct {
	Provider providers.LLMProvider
	Model    string
	Options  map[string]any
	Choice   Choice
	// Round counts the requests of a turn from 1.
	Round int
	// Last tells the model to answer without another call.
	Last         bool
	Conversation []providers.Message
	Tools        []providers.ToolDefinition
	// Sought says that the model has only found the tools for the call of the first round:
	// the choice of that round holds for this one too.
	Sought bool
	// OnEvent is told the parts of the answer as they come, each piece of a call with the id
	// and the name of the call; nil asks for the whole.
	OnEvent func(providers.StreamEvent)
}

// Ask sends the question to the model. The answer is the caller's own copy.
func Ask(ctx context.Context, q Question) (*providers.LLMResponse, error) {
	messages, options := providers.Repair(q.Conversation), q.options()
	if q.Last {
		messages = append(slices.Clip(messages), providers.Message{Role: providers.RoleUser, Content: limitText})
	}
	var resp *providers.LLMResponse
	var err error
	if q.OnEvent == nil {
		resp, err = q.Provider.Chat(ctx, messages, q.Tools, q.Model, options)
	} else {
		resp, err = providers.Stream(ctx, q.Provider, messages, q.Tools, q.Model, options, whole(q.OnEvent))
	}
	if err != nil {
		return nil, err
	}
	if resp == nil {
		return nil, errors.New("tools: the provider gave neither an answer nor an error")
	}
	own := *resp
	own.ToolCalls = distinct(resp.ToolCalls, q.Round)
	return &own, nil
}

// Invalidate keeps the calls of an answer that was cut short from running, now and when
// the recorded answer is resumed.
func Invalidate(resp *providers.LLMResponse) {
	var why string
	switch resp.FinishReason {
	case providers.FinishLength:
		why = "the answer reached its length limit before the call was complete; the call was not run"
	case providers.FinishContentFilter:
		why = "the answer was cut by a content filter; the call was not run"
	default:
		return
	}
	for i := range resp.ToolCalls {
		resp.ToolCalls[i].BadArguments = why
	}
}

// Unanswered are the calls without a result of an answer that ends the conversation, by
// their index in the answer.
func Unanswered(conversation []providers.Message) map[int]providers.ToolCall {
	last := len(conversation) - 1
	if last >= 0 && conversation[last].Role == providers.RoleUser {
		return nil // as at the beginning of most turns
	}
	have := map[string]bool{}
	for ; last >= 0 && conversation[last].Role == providers.RoleTool; last-- {
		have[conversation[last].ToolCallID] = true
	}
	if last < 0 || conversation[last].Role != providers.RoleAssistant {
		return nil
	}
	missing := map[int]providers.ToolCall{}
	for i, c := range conversation[last].ToolCalls {
		if !have[c.ID] {
			c.Settle() // a stored answer may be of any age
			missing[i] = c
		}
	}
	return missing
}

// distinct copies the calls of an answer, settles their arguments, and gives each call
// an id of its own.
func distinct(calls []providers.ToolCall, round int) []providers.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	out := make([]providers.ToolCall, len(calls))
	taken := make(map[string]bool, len(calls))
	for _, c := range calls {
		taken[c.ID] = true
	}
	seen := make(map[string]bool, len(calls))
	for i, c := range calls {
		if c.ID == "" || seen[c.ID] {
			id := "call_" + strconv.Itoa(round) + "_" + strconv.Itoa(i)
			for taken[id] {
				id += "x"
			}
			c.ID = id
			taken[id] = true
		}
		seen[c.ID] = true
		if c.Type == "" {
			c.Type = "function"
		}
		c.Settle()
		if c.Arguments == nil {
			c.Arguments = map[string]any{}
		}
		out[i] = c
	}
	return out
}
