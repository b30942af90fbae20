package events

import (
	"encoding/json"
	"time"

	"parley/pkg/channels"
)

// Event is one entry of a chat's list.
type Event struct {
	// ID orders the events of one chat, over restarts too. It has no meaning for readers.
	ID string
	// Data is one of the types of this package. It must not be changed.
	Data Data
}

// Name is the word of the event on the wire.
func (e *Event) Name() string { return e.Data.Name() }

// Data is the content of an event.
type Data interface {
	// Name is the word for it on the wire.
	Name() string
	// size is its texts' length in bytes.
	size() int
	// redacted is a copy without secrets.
	redacted(redact func(string) string) Data
}

// TurnBegun is the first event of a turn. A turn that is begun anew, after a failed write,
// says it again: all events since the first are void.
type TurnBegun struct {
	Turn string `json:"turn"`
	Chat string `json:"chat"`
	// Message is the stored id of the inbound that started it, "" for a turn without one.
	Message string `json:"message,omitempty"`
	// Text is what the person wrote there, Files came with it.
	Text  string              `json:"text,omitempty"`
	Files []channels.KeptFile `json:"files,omitempty"`
}

// Joined is a further message that a turn answers: it waited beside the first one, or came while
// the turn was under way.
type Joined struct {
	// Message is the id of the message, and Text its words.
	Message string              `json:"message"`
	Text    string              `json:"text"`
	Files   []channels.KeptFile `json:"files,omitempty"`
}

// Token is a piece of the growing answer. It is never cut inside of a code point.
type Token struct {
	Text string `json:"text"`
}

// Reasoning is a piece of the model's thoughts, for those who may see them.
type Reasoning struct {
	Text string `json:"text"`
}

// Restart voids the tokens, the reasoning and the call deltas of this round: the model is
// asked again.
type Restart struct {
	Attempt int `json:"attempt"`
}

// CallDelta is a piece of a call that the model is writing. Its first one has the name.
type CallDelta struct {
	ID        string `json:"id"`
	Called    string `json:"name,omitempty"`
	Arguments string `json:"arguments_delta"`
}

// Call is a whole call, told before it runs.
type Call struct {
	ID     string `json:"id"`
	Called string `json:"name"`
	// Arguments are an object; text that is no object is a JSON string.
	Arguments json.RawMessage `json:"arguments"`
	// Run is RunServer or RunClient.
	Run string `json:"run"`
	// Summary is one line for people: the tool and the subject of the call.
	Summary string `json:"summary"`
	// Round counts the answers of the model in its turn, from 1: models repeat their ids.
	Round int `json:"round,omitempty"`
}

// RunServer says that the gateway runs a call, RunClient that the program does which sent
// the message: the turn ends with StopCaller, and the result comes with a later message.
const (
	RunServer = "server"
	RunClient = "client"
)

// Executing says that a call runs now, after the policy and a person had their say.
type Executing struct {
	ID     string `json:"id"`
	Called string `json:"name"`
}

// Progress is how far a running call is.
type Progress struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Question asks a person about a call. It may stay open for long.
type Question struct {
	ID         string          `json:"id"`
	ToolCallID string          `json:"tool_call_id"`
	Called     string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Question   string          `json:"question"`
	Choices    []string        `json:"choices"`
	ExpiresAt  time.Time       `json:"expires_at"`
	// Message is the id of the message that asks.
	Message string `json:"message,omitempty"`
}

// Resolved is the answer to a question, wherever it was given.
type Resolved struct {
	ID       string `json:"id"`
	Decision string `json:"decision"`
	By       string `json:"by"`
}

// Result is the whole result of a call, within the limit of results.
type Result struct {
	ID      string `json:"id"`
	Called  string `json:"name"`
	Result  string `json:"result"`
	IsError bool   `json:"is_error"`
	// DurationMS is nil where the call ran in an earlier process: that time is not stored.
	DurationMS *int64 `json:"duration_ms,omitempty"`
	// Truncated says that the middle of the result was left out: the tool gave more.
	Truncated bool `json:"truncated,omitempty"`
}

// Message is a delivered message. Its ID stays the same: a reader that has it already
// shows it once.
type Message struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	Text string `json:"text"`
	// File is the name of the file that came with it, or "".
	File string `json:"file,omitempty"`
	// Files has that file where it may be fetched.
	Files []channels.KeptFile `json:"files,omitempty"`
	// Replaces is the ID of the message that it takes the place of, or "".
	Replaces string `json:"replaces,omitempty"`
	// Origin is "job" or "task" where no person waited for it.
	Origin string `json:"origin,omitempty"`
}

// Notice says something about the turn that is no error.
type Notice struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Failure is the error that ends a turn. Ref is in the gateway's log.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Ref     string `json:"ref"`
}

// Done is the last event of a turn.
type Done struct {
	Turn   string `json:"turn"`
	Text   string `json:"text"`
	Usage  Usage  `json:"usage"`
	Rounds int    `json:"rounds"`
	// Stop is one of the words below.
	Stop string `json:"stop"`
}

// Usage is the tokens that a turn read and wrote.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// The ends of a turn.
const (
	StopEnd      = "end"
	StopAsked    = "confirmation_required"
	StopCaller   = "tool_calls"
	StopLimit    = "max_tool_iterations"
	StopLength   = "length"
	StopFiltered = "content_filter"
	StopStopped  = "stopped"
	StopError    = "error"
)

// The codes of notices and errors; StopLimit is one of a notice, too.
const (
	// CodeShortened: the older part of the conversation was left out of a request.
	CodeShortened = "history_shortened"
	// CodeUndelivered: a message could not be delivered.
	CodeUndelivered = "not_delivered"
	// CodeStore: the store cannot be written, or can again.
	CodeStore = "store"
	// CodeQuiet: nothing is under way in the chat; the text is that of the console that asked.
	CodeQuiet = "quiet"
	// CodeNoTools: a call was required, and the turn has no tool for it.
	CodeNoTools = "tools_unavailable"
	// CodeLimited: a limit of the chat's day is reached.
	CodeLimited = "limit_reached"
	// CodeRefused: the policy, or the credential as it is now, does not allow the turn.
	CodeRefused = "not_allowed"
	// CodeFailed: the turn has no answer.
	CodeFailed = "turn_failed"
)

// overhead is counted for each event beside its texts.
const overhead = 96
