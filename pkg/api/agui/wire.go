package agui

import (
	"encoding/json"
	"time"
)

// protocolVersion is the version of AG-UI that this room speaks.
const protocolVersion = "1.0"

// The types of the events.
const (
	typeRunStarted       = "RUN_STARTED"
	typeRunFinished      = "RUN_FINISHED"
	typeRunError         = "RUN_ERROR"
	typeTextStart        = "TEXT_MESSAGE_START"
	typeTextContent      = "TEXT_MESSAGE_CONTENT"
	typeTextEnd          = "TEXT_MESSAGE_END"
	typeReasoningStart   = "REASONING_START"
	typeThoughtStart     = "REASONING_MESSAGE_START"
	typeThoughtContent   = "REASONING_MESSAGE_CONTENT"
	typeThoughtEnd       = "REASONING_MESSAGE_END"
	typeReasoningEnd     = "REASONING_END"
	typeCallStart        = "TOOL_CALL_START"
	typeCallArgs         = "TOOL_CALL_ARGS"
	typeCallEnd          = "TOOL_CALL_END"
	typeCallResult       = "TOOL_CALL_RESULT"
	typeMessagesSnapshot = "MESSAGES_SNAPSHOT"
	typeCustom           = "CUSTOM"
)

// frame is an event on the wire. A field that an event does not have is left out: clients
// refuse a null.
type frame struct {
	Type            string   `json:"type"`
	ThreadID        string   `json:"threadId,omitempty"`
	RunID           string   `json:"runId,omitempty"`
	ProtocolVersion string   `json:"protocolVersion,omitempty"`
	MessageID       string   `json:"messageId,omitempty"`
	Role            string   `json:"role,omitempty"`
	Delta           string   `json:"delta,omitempty"`
	CallID          string   `json:"toolCallId,omitempty"`
	CallName        string   `json:"toolCallName,omitempty"`
	ParentID        string   `json:"parentMessageId,omitempty"`
	Content         *string  `json:"content,omitempty"`
	Name            string   `json:"name,omitempty"`
	Value           any      `json:"value,omitempty"`
	Messages        []said   `json:"messages,omitempty"`
	Outcome         *outcome `json:"outcome,omitempty"`
	Usage           []usage  `json:"usage,omitempty"`
	Message         string   `json:"message,omitempty"`
	Code            string   `json:"code,omitempty"`
}

// outcome is how a run ended.
type outcome struct {
	// Type is one of the words below.
	Type       string      `json:"type"`
	Interrupts []interrupt `json:"interrupts,omitempty"`
	// Pending are the calls that the client runs.
	Pending []string `json:"pendingToolCallIds,omitempty"`
}

// The types of an outcome.
const (
	outcomeSuccess   = "success"
	outcomeInterrupt = "interrupt"
	outcomeCancelled = "cancelled"
)

// interrupt is a question that a person answers.
type interrupt struct {
	ID        string    `json:"id"`
	Reason    string    `json:"reason"`
	Message   string    `json:"message"`
	CallID    string    `json:"toolCallId"`
	Schema    any       `json:"responseSchema"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// reasonCall is the reason of an interrupt that asks about a call.
const reasonCall = "tool_call"

type usage struct {
	Input  int `json:"inputTokens"`
	Output int `json:"outputTokens"`
}

// progress and file are the values of events of our own.
type progress struct {
	CallID string `json:"toolCallId"`
	Text   string `json:"text"`
}

type file struct {
	MessageID string `json:"messageId"`
	Name      string `json:"name"`
}

// said is a message of a snapshot.
type said struct {
	ID      string     `json:"id"`
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Calls   []saidCall `json:"toolCalls,omitempty"`
	CallID  string     `json:"toolCallId,omitempty"`

	turn, raw string // the turn, and the id of the call in the store
}

type saidCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`

	raw string
}

// record is a frame as it stands in the stream.
func (f *frame) record() ([]byte, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	return append(append([]byte("data: "), data...), '\n', '\n'), nil
}
