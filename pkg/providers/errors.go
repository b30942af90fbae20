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
	// KindUnusable: the answer ended properly and is empty, or a call in it cannot be
	// read. [Failover] makes it where another model is there to be asked.
	KindUnusable ErrorKind = "unusable"
	// KindRecited: the model stopped because its answer repeated a published text.
	KindRecited ErrorKind = "recited"
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
	switch sentence := e.Kind.sentence(); {
	case sentence != "":
		return sentence
	case e.Kind == KindUnreachable:
		return fmt.Sprintf(textUnreachable, e.Server)
	case e.Kind == KindNotFound:
		return fmt.Sprintf(textNotFound, e.Model)
	case e.Status == 0 && e.Code == "": // not a refusal: the answer came and is too much
		return textUnusable
	default:
		return textRefused
	}
}

// sentence is the text for a person about a kind that needs no word of the failure itself,
// else empty.
func (k ErrorKind) sentence() string {
	switch k {
	case KindRateLimited:
		return textRateLimited
	case KindOverloaded:
		return textOverloaded
	case KindCut:
		return textBrokeOff
	case KindTimeout:
		return textTimeout
	case KindTooLong:
		return textTooLong
	case KindAuth:
		return textAuth
	case KindQuota:
		return textQuota
	case KindFiltered:
		return textFiltered
	case KindUnusable:
		return textUnusable
	case KindRecited:
		return textRecited
	default:
		return ""
	}
}
