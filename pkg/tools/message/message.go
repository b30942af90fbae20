package message

import (
	"context"
	"fmt"
	"strings"

	"parley/pkg/tools"
)

// MaxText is how many bytes one message has at most.
const MaxText = 16 << 10

// Queue takes messages for a chat.
type Queue interface {
	// QueueMessage takes text for a chat, to be sent in order with its other messages.
	// The call that it belongs to is in ctx (see [tools.InvocationFrom]). A nil error
	// means that the text is as safe as the call's own result. It may be called from many
	// goroutines.
	QueueMessage(ctx context.Context, channel, chatID, text string) error
}

// Tool is the tool message. Its registered value is shared; the registry sets
// the chat on a copy for each call.
type Tool struct {
	queue           Queue
	channel, chatID string
}

// New makes the tool.
func New(q Queue) *Tool { return &Tool{queue: q} }

// Name is message.
func (*Tool) Name() string { return "message" }

// Description tells the model the purpose of the tool.
func (*Tool) Description() string {
	return "Send text here at once; do not repeat it in the answer."
}

// Parameters is the schema of the one argument, text.
func (*Tool) Parameters() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"text": map[string]any{"type": "string", "minLength": 1},
		},
		"required":             []string{"text"},
		"additionalProperties": false,
	}
}

// Annotations say that a call has an effect, which must not happen twice, that
// messages leave in the order of their calls, and that a chat with the lowest
// rights may use it.
func (*Tool) Annotations() tools.Annotations {
	return tools.Annotations{Level: tools.LevelChat, Ordered: true, Speaks: true}
}

// SetContext tells the tool which chat the next Execute speaks to.
func (t *Tool) SetContext(channel, chatID string) { t.channel, t.chatID = channel, chatID }

// Execute queues the text for the chat.
func (t *Tool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	text, ok := args["text"].(string)
	switch {
	case !ok || strings.TrimSpace(text) == "":
		return tools.Fail(tools.ErrInvalidArguments, "text is needed and cannot be empty", nil).Result()
	case len(text) > MaxText:
		return tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("text has %d bytes; at most %d are allowed", len(text), MaxText), nil).Result()
	case t.channel == "" || t.chatID == "":
		return tools.Fail(tools.ErrExecutionFailed, "there is no chat to send to", nil).Result()
	}
	if err := t.queue.QueueMessage(ctx, t.channel, t.chatID, text); err != nil {
		return tools.Fail(tools.ErrExecutionFailed, "the message could not be sent", nil).Because(err).Result()
	}
	return tools.SilentResult("The message is on its way; the person will see it.")
}
