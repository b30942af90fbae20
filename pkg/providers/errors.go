package providers

import (
	"fmt"
	"time"
)

// ErrorKind is the decision an [*Error] carries.
type ErrorKind string

// The kinds of [*Error].
const (
	// KindRateLimited: too many requests; ask again after RetryAfter.
	KindRateLimited ErrorKind = "rate_limited"
	// KindOverloaded: 408, 409, 5xx, 529; ask again later.
	KindOverloaded ErrorKind = "overloaded"
	// KindUnreachable: no connection could be made or it broke before an answer began.
	KindUnreachable ErrorKind = "unreachable"
	// KindCut: the answer began and did not end properly; all of it is dropped.
	KindCut ErrorKind = "cut"
	// KindTimeout: the idle or total limit of a request was reached.
	KindTimeout ErrorKind = "timeout"
	// KindTooLong: the conversation does not fit the model's context.
	KindTooLong ErrorKind = "too_long"
	// KindAuth: 401 or 403, the key is missing, wrong or may not do this.
	KindAuth ErrorKind = "auth"
	// KindQuota: the account has no credit left; asking again does not help.
	KindQuota ErrorKind = "quota"
	// KindNotFound: the server knows no such model or path.
	KindNotFound ErrorKind = "not_found"
	// KindInvalid: the server refuses the request as it is.
	KindInvalid ErrorKind = "invalid"
	// KindFiltered: the server's content filter refused.
	KindFiltered ErrorKind = "filtered"
)

// Error is the error of every provider without an answer.
type Error struct {
	Kind ErrorKind
	// Status is the HTTP status, or 0.
	Status int
	// Code is the server's own word for the error, such as insufficient_quota.
	Code string
	// Message is the server's text, without secrets, cut to 500 bytes.
	Message string
	// RetryAfter is the least time to wait before asking again; 0 if the server named none.
	RetryAfter time.Duration
	// Server names whom we asked, such as "https://api.openai.com/v1", without credentials.
	Server string
	// Model is the model that was asked.
	Model string
	// Err is the cause, if any.
	Err error
}

// Error gives one line for logs.
func (e *Error) Error() string {
	s := "model " + e.Model + ": " + string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Code != "" {
		s += " " + e.Code
	}
	if e.Message != "" {
		s += ": " + e.Message
	} else if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable says whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimited, KindOverloaded, KindUnreachable, KindCut, KindTimeout:
		return true
	default:
		return false
	}
}

// PersonMessage is one plain sentence for the person in the chat, with a cure
// where there is one. It holds no secret, no address of a private server's path
// and no stack.
func (e *Error) PersonMessage() string {
	switch e.Kind {
	case KindRateLimited:
		return "The model is receiving too many requests right now. Please try again in a moment."
	case KindOverloaded:
		return "The model server has trouble right now. Please try again in a moment."
	case KindUnreachable:
		return "I cannot reach the model server at " + e.Server + ". Is it running?"
	case KindCut:
		return "The model's answer broke off. Please try again."
	case KindTimeout:
		return "The model did not answer in time. Please try again."
	case KindTooLong:
		return "This conversation has become too long for the model."
	case KindAuth:
		return "The model server refused the key. The operator needs to check api_key in the configuration."
	case KindQuota:
		return "The model account has no credit left. The operator needs to top it up or choose another model."
	case KindNotFound:
		return "The model server does not know the model " + e.Model + ". The operator needs to check the configuration."
	case KindFiltered:
		return "The model's content filter refused to answer this."
	default:
		if e.Status == 0 && e.Code == "" { // not a refusal: the answer came and is too much
			return "The model gave an answer that I cannot use. Please try again or put it differently."
		}
		return "The model server refused the request."
	}
}
