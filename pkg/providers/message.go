package providers

import (
	"encoding/json"
	"io"
)

// The roles of a [Message], as every OpenAI-shaped server names them.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one entry of a conversation.
//
// An assistant message may carry ToolCalls; each of them needs exactly one
// later tool message with the same ToolCallID, or servers refuse the request.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	// Name is the tool's name on a tool message; elsewhere it is empty.
	Name string `json:"name,omitempty"`
	// Aside marks a user message that the gateway wrote for one request: notes that no
	// history keeps. The messages before the first one are those that the next request
	// begins with too.
	Aside bool `json:"-"`
	// Images belong to a user message; providers without pictures leave them out.
	Images []Image `json:"images,omitempty"`
	// Reasoning is the text a reasoning model thought aloud before it answered.
	// It is kept for display and is not sent back unless a server demands it.
	Reasoning string `json:"reasoning,omitempty"`
	// Extra is data that a server wants to see again with this message on the next
	// request (thought signatures, for instance), as it came. It is opaque to all others.
	Extra json.RawMessage `json:"extra,omitempty"`
	// Original is a user message as its person sees it, where Content names files for the
	// model. No model is told of it.
	Original *Original `json:"original,omitempty"`
}

// Original is a message with files as its person wrote it.
type Original struct {
	Text  string `json:"text,omitempty"`
	Files []File `json:"files"`
}

// File is a file that came with a message, under the id by which its channel keeps it.
type File struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Size int64  `json:"size,omitempty"`
	Type string `json:"type,omitempty"`
}

// Image is one picture of a user message: a file, or a URL. A message does not hold
// its bytes; a provider whose model takes pictures reads them when it asks.
type Image struct {
	MIME string `json:"mime,omitempty"`
	// Path is its file, relative to the chat's space, and Size that file's bytes.
	Path string `json:"path,omitempty"`
	Size int64  `json:"size,omitempty"`
	URL  string `json:"url,omitempty"`
	// Open opens the file and tells its size now. It may be called several times, from
	// any goroutine. The caller that asks a model sets it; it is not stored.
	Open func() (f io.ReadCloser, size int64, err error) `json:"-"`
}

// MaxCalls is how many calls of one answer are kept; those behind them are left out.
const MaxCalls = 256

// ToolCall is one tool invocation that a model asks for.
type ToolCall struct {
	// ID ties the call to its result. Providers fill an empty or repeated one,
	// so that it is unique within its answer.
	ID string `json:"id"`
	// Type is "function".
	Type string `json:"type,omitempty"`
	// Name is the tool's name as it was offered.
	Name string `json:"name"`
	// Arguments are the decoded arguments, and set if BadArguments is empty. In a call
	// read back from a history they may be nil: there RawArguments hold them. Numbers are
	// as [DecodeArguments] gives them.
	Arguments map[string]any `json:"arguments"`
	// RawArguments is the text the model wrote, byte for byte; after [ToolCall.Settle]
	// it is the text of the object that runs.
	RawArguments string `json:"raw_arguments,omitempty"`
	// BadArguments says why RawArguments could not be decoded (see [DecodeArguments]).
	// Such a call must not run: its result is an invalid_arguments error.
	BadArguments string `json:"bad_arguments,omitempty"`
	// Extra is opaque to everyone but the provider that made it, like [Message].Extra.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// ToolDefinition offers one tool to a model, in the shape of the wire:
// {"type":"function","function":{"name":…,"description":…,"parameters":{…}}}.
type ToolDefinition struct {
	Type     string             `json:"type"`
	Function FunctionDefinition `json:"function"`
}

// FunctionDefinition is the inner part of a [ToolDefinition]. Parameters is a JSON Schema object.
type FunctionDefinition struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
	// Encoded is Parameters as JSON, if the definition's author encoded them once for all
	// requests; it may be empty.
	Encoded json.RawMessage `json:"-"`
}

// The finish reasons of a [LLMResponse]. A server's other words are kept; an empty
// one means that the stream ended with [DONE] alone.
const (
	FinishStop          = "stop"
	FinishToolCalls     = "tool_calls"
	FinishLength        = "length"
	FinishContentFilter = "content_filter"
)

// LLMResponse is one complete answer of a model.
type LLMResponse struct {
	Content      string          `json:"content"`
	ToolCalls    []ToolCall      `json:"tool_calls,omitempty"`
	FinishReason string          `json:"finish_reason"`
	Usage        Usage           `json:"usage"`
	Reasoning    string          `json:"reasoning,omitempty"`
	Extra        json.RawMessage `json:"extra,omitempty"`
	// Model is the name the server says it answered with.
	Model string `json:"model,omitempty"`
	// Billed is the name of the model in the configuration, to which Usage counts except
	// for the parts in Others: those of other models, whose answers were of no use.
	// [Metered] sets it.
	Billed string        `json:"billed,omitempty"`
	Others []BilledUsage `json:"others,omitempty"`
}

// BilledUsage is the use of one model, by its name in the configuration.
type BilledUsage struct {
	Model string `json:"model"`
	Usage Usage  `json:"usage"`
}

// Message turns the answer into the assistant message that history keeps.
func (r *LLMResponse) Message() Message {
	return Message{
		Role: RoleAssistant, Content: r.Content, ToolCalls: r.ToolCalls,
		Reasoning: r.Reasoning, Extra: r.Extra,
	}
}

// Usage counts tokens as the server reports them; all zero if it reports none, unless
// [Metered] estimated them.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	// CachedTokens are those of the prompt that the server read from its cache, and
	// CacheWriteTokens those that it wrote there.
	CachedTokens     int `json:"cached_tokens,omitempty"`
	CacheWriteTokens int `json:"cache_write_tokens,omitempty"`
	ReasoningTokens  int `json:"reasoning_tokens,omitempty"`
	// Seconds is how much sound a speech model has heard.
	Seconds int `json:"seconds,omitempty"`
	// Money is the cost of the answer, in millionths of the currency of the prices;
	// servers do not report it, [Metered] sets it.
	Money int64 `json:"money,omitempty"`
}

// Add adds the use of another answer.
func (u *Usage) Add(other Usage) {
	u.PromptTokens += other.PromptTokens
	u.CompletionTokens += other.CompletionTokens
	u.TotalTokens += other.TotalTokens
	u.CachedTokens += other.CachedTokens
	u.CacheWriteTokens += other.CacheWriteTokens
	u.ReasoningTokens += other.ReasoningTokens
	u.Seconds += other.Seconds
	u.Money += other.Money
}
