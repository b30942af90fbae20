package fakemodel

import (
	"fmt"
	"time"

	"parley/pkg/providers"
)

// Answer is the model's answer, and the harm that it suffers on the way to the client.
// A call without an id gets one; FinishReason and Usage are filled in where empty.
type Answer struct {
	providers.LLMResponse
	Fault Fault
}

// Fault is the fault of one answer. The zero value is no fault.
type Fault struct {
	// Latency passes before the first byte.
	Latency time.Duration
	// Status, when not 0, makes the answer an error with Code, Message and RetryAfter.
	Status        int
	Code, Message string
	// RetryAfter is the header's value.
	RetryAfter string
	// Body, when not empty, is sent as it is with ContentType (default text/html)
	// instead of any other answer or error.
	Body, ContentType string
	// Cut, when above 0, breaks the connection after so many bytes of the body.
	Cut int
	// Frames, when not 0, breaks the connection behind so many frames of a stream; below 0,
	// before the first.
	Frames int
	// Silence sends the headers and, of a cut answer, the bytes before the cut; then
	// the server is silent until the client leaves.
	Silence bool
	// ErrorFrame ends a stream after half of its frames with an error of Code and Message.
	ErrorFrame bool
	// NoDone leaves out [DONE], NoFinish the finish reason.
	NoDone, NoFinish bool
	// Piece, when above 0, is the number of bytes sent at once.
	Piece int
	// Gap passes after each piece; without Piece, after each frame of a stream.
	Gap time.Duration
}

// Say answers with text.
func Say(text string) Answer {
	return Answer{LLMResponse: providers.LLMResponse{Content: text}}
}

// Call answers with one tool call; args is JSON.
func Call(name, args string) Answer {
	return Calls(providers.ToolCall{Name: name, RawArguments: args})
}

// Calls answers with tool calls.
func Calls(calls ...providers.ToolCall) Answer {
	return Answer{LLMResponse: providers.LLMResponse{ToolCalls: calls}}
}

// Fail answers with an HTTP error.
func Fail(status int, code, message string) Answer {
	return Answer{Fault: Fault{Status: status, Code: code, Message: message}}
}

// RateLimited answers with 429 and a Retry-After of seconds.
func RateLimited(seconds string) Answer {
	a := Fail(429, "rate_limit_exceeded", "Rate limit reached")
	a.Fault.RetryAfter = seconds
	return a
}

// OutOfQuota answers with a 429 that no waiting helps against.
func OutOfQuota() Answer {
	return Fail(429, "insufficient_quota", "You exceeded your current quota")
}

// complete fills in the fields that a script left out.
func (a *Answer) complete(r *Request) {
	for i := range a.ToolCalls {
		if a.ToolCalls[i].ID == "" {
			a.ToolCalls[i].ID = fmt.Sprintf("call_%d_%d", len(r.Messages), i)
		}
	}
	if a.FinishReason == "" {
		a.FinishReason = providers.FinishStop
		if len(a.ToolCalls) > 0 {
			a.FinishReason = providers.FinishToolCalls
		}
	}
	if a.Usage == (providers.Usage{}) {
		in, out := len(r.Body)/4, len(a.Content)/4+1
		a.Usage = providers.Usage{PromptTokens: in, CompletionTokens: out, TotalTokens: in + out}
	}
}
