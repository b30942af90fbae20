package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"parley/pkg/providers"
	"parley/pkg/tools/internal/output"
)

// toolChoice is the option that says whether the model may, must or must not call.
const toolChoice = "tool_choice"

// The words of [toolChoice].
const (
	choiceAuto     = "auto"
	choiceNone     = "none"
	choiceRequired = "required"
)

// choice is the caller's tool_choice: value for the first round, and whether it
// holds for the others too.
type choice struct {
	value any
	stays bool
}

// choiceOf checks the caller's tool_choice against what is offered.
func choiceOf(config ToolLoopConfig) (choice, error) {
	value, ok := config.LLMOptions[toolChoice]
	if !ok || value == nil {
		return choice{}, nil
	}
	name := ""
	switch v := value.(type) {
	case string:
		switch v {
		case choiceAuto, choiceNone:
			return choice{value: v, stays: true}, nil
		case choiceRequired:
			if config.Tools == nil || len(config.Tools.calls.view.usable()) == 0 {
				return choice{}, errors.New("tools: tool_choice is required, and no tool is offered")
			}
			return choice{value: v}, nil
		}
		return choice{}, fmt.Errorf("tools: tool_choice %q is none of auto, none, required or a name", output.Clip(v, 64))
	case map[string]any:
		name, _ = v["name"].(string)
	case map[string]string:
		name = v["name"]
	}
	if name == "" {
		return choice{}, errors.New("tools: tool_choice names no tool")
	}
	if config.Tools == nil || !config.Tools.Enabled(name) {
		return choice{}, fmt.Errorf("tools: tool_choice names %q, which is not offered", output.Clip(name, 64))
	}
	return choice{value: map[string]any{"name": name}}, nil
}

// ask sends the conversation to the model. The answer is the loop's own copy.
func (l *loop) ask(ctx context.Context, round int, c choice, limit bool) (*providers.LLMResponse, error) { //nolint:revive // flag-parameter: the round says it
	var offered []providers.ToolDefinition
	if l.Tools != nil {
		offered = l.Tools.calls.view.definitions()
	}
	messages := providers.Repair(l.conversation)
	options := maps.Clone(l.LLMOptions)
	delete(options, toolChoice)
	value := c.value
	if round > 1 && !c.stays {
		value = nil
	}
	if limit {
		value = choiceNone
		messages = append(slices.Clip(messages), providers.Message{Role: providers.RoleUser, Content: limitText})
	}
	if value != nil && len(offered) > 0 {
		if options == nil {
			options = map[string]any{}
		}
		options[toolChoice] = value
	}
	resp, err := l.chat(ctx, round, messages, offered, options)
	if err != nil {
		return nil, err
	}
	if resp == nil {
		return nil, errors.New("tools: the provider gave neither an answer nor an error")
	}
	own := *resp
	own.ToolCalls = distinct(resp.ToolCalls, round)
	return &own, nil
}

func (l *loop) chat(ctx context.Context, round int, messages []providers.Message, offered []providers.ToolDefinition, options map[string]any) (*providers.LLMResponse, error) {
	if l.Journal == nil {
		return l.Provider.Chat(ctx, messages, offered, l.Model, options)
	}
	return providers.Stream(ctx, l.Provider, messages, offered, l.Model, options, func(e providers.StreamEvent) {
		switch e := e.(type) {
		case providers.TextDelta:
			l.event(Event{Kind: EventDelta, Round: round, Text: e.Text})
		case providers.ReasoningDelta:
			l.event(Event{Kind: EventReasoning, Round: round, Text: e.Text})
		case providers.ToolCallDelta:
			l.event(Event{Kind: EventToolCallDelta, Round: round, CallID: e.ID, Tool: e.Name, Arguments: e.Arguments})
		case providers.Restart:
			l.event(Event{Kind: EventRestart, Round: round, Text: e.Reason})
		}
	})
}

// distinct copies the calls of an answer, settles what each says, and gives each an id
// of its own.
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
