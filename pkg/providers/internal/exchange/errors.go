package exchange

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/pkg/providers"
)

var errTooBig = errors.New("the answer is longer than this gateway reads")

// TooBig is the error for an answer of more than this gateway reads.
func TooBig() *providers.Error {
	return &providers.Error{Kind: providers.KindInvalid, Message: errTooBig.Error(), Err: errTooBig}
}

// Cut is the error for an answer that did not end properly.
func Cut(message string, cause error) *providers.Error {
	return &providers.Error{Kind: providers.KindCut, Message: message, Err: cause}
}

// transportError is for a request that got no answer.
func transportError(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok { // its text holds the URL, with credentials
		err = u.Err
	}
	if t, ok := errors.AsType[tls.RecordHeaderError](err); ok && string(t.RecordHeader[:]) == "HTTP/" {
		err = http.ErrSchemeMismatch
	}
	return &providers.Error{Kind: providers.KindUnreachable, Message: err.Error(), Err: err}
}

// readError is for an answer that broke off.
func readError(err error) error {
	if errors.Is(err, errTooBig) {
		return TooBig()
	}
	return Cut("the connection broke in the middle of the answer", err)
}

// wireError is an error as servers write it.
type wireError struct {
	Message LooseText       `json:"message"`
	Type    LooseText       `json:"type"`
	Code    LooseText       `json:"code"`
	Param   LooseText       `json:"param"`
	Status  LooseText       `json:"status"`
	Details json.RawMessage `json:"details"`
}

// wireErrorBody is the object around it.
type wireErrorBody struct {
	Error   json.RawMessage `json:"error"`
	Detail  LooseText       `json:"detail"`
	Message LooseText       `json:"message"`
	Code    LooseText       `json:"code"`
	Type    LooseText       `json:"type"`
}

// parseError reads the error in body; ok is false without one.
func parseError(body []byte) (e wireError, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 { // Gemini wraps it in a list
		body = list[0]
	}
	var b wireErrorBody
	if json.Unmarshal(body, &b) != nil {
		return e, false
	}
	if len(b.Error) > 0 && string(b.Error) != "null" {
		if json.Unmarshal(b.Error, &e) != nil {
			var t LooseText
			if json.Unmarshal(b.Error, &t) != nil {
				t = "unknown error"
			}
			e.Message = t
		}
		return e, true
	}
	if b.Message == "" {
		b.Message = b.Detail
	}
	return wireError{Message: b.Message, Code: b.Code, Type: b.Type}, b.Message != ""
}

// refusal translates an answer with a status other than 2xx.
func refusal(status int, header http.Header, body []byte) *providers.Error {
	e, ok := parseError(body)
	if !ok {
		e.Message = LooseText(http.StatusText(status))
	}
	err := &providers.Error{
		Kind: kindOf(status, e), Status: status, Code: e.code(), Message: string(e.Message),
		RetryAfter: retryAfter(header, time.Now()),
	}
	if d := e.retryDelay(); err.RetryAfter == 0 && d > 0 {
		err.RetryAfter = d
	}
	if status >= 300 && status < 400 {
		err.Kind, err.Message = providers.KindNotFound, "the server redirects elsewhere; base_url must name the final address"
	}
	return err
}

// frameError gives the error that a frame of a stream, or a whole answer, carries; or nil.
func frameError(frame []byte) error {
	if !bytes.Contains(frame, []byte(`"error"`)) {
		return nil
	}
	var b struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(frame, &b) == nil && len(b.Error) > 0 && string(b.Error) != "null" {
		return lateError(frame)
	}
	return nil // the reader of a broken frame reports it
}

// ErrorOf translates the value of a field "error" that came after the status 200.
func ErrorOf(raw json.RawMessage) error {
	return lateError([]byte(`{"error":` + string(raw) + `}`))
}

// lateError translates an error that comes after the status 200.
func lateError(frame []byte) error {
	e, ok := parseError(frame)
	if !ok {
		e.Message = "the server ended the answer with an error"
	}
	status, err := strconv.Atoi(string(e.Code))
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	return &providers.Error{Kind: kindOf(status, e), Status: status, Code: e.code(), Message: string(e.Message), RetryAfter: e.retryDelay()}
}

// code is the server's word for the error, or its number where it has no word.
func (e *wireError) code() string {
	number := LooseText("")
	for _, c := range []LooseText{e.Code, e.Type, e.Status} {
		if _, err := strconv.Atoi(string(c)); err == nil {
			number = c
		} else if c != "" {
			return string(c)
		}
	}
	return string(number)
}

// mentions says whether the details, which are of many forms, hold a word.
func (e *wireError) mentions(word string) bool { return bytes.Contains(e.Details, []byte(word)) }

// kindOf classifies an error: by the server's own words first, because hosts disagree
// about the status, then by the status (0 in a stream).
func kindOf(status int, e wireError) providers.ErrorKind {
	words := strings.ToLower(string(e.Code + " " + e.Type + " " + e.Status))
	message := strings.ToLower(string(e.Message))
	switch {
	case status == http.StatusRequestEntityTooLarge, hasAny(words, "context_length", "exceed_context"),
		status < 500 && hasAny(message, "context length", "context window", "context size",
			"context limit", "prompt is too long", "too many input tokens", "maximum number of tokens allowed",
			"maximum prompt length", "model token limit", "range of input length", "prompt exceeds max length",
			"tokens + `max_new_tokens` must be", "`inputs` must have less than"):
		return providers.KindTooLong
	case status == http.StatusPaymentRequired, hasAny(words, "insufficient_quota", "exceeded_current_quota", "billing", "402"),
		hasAny(message, "insufficient credit", "insufficient balance", "insufficient_quota", "credits are depleted",
			"credit balance", "api usage limits", "used all available credits"),
		status == http.StatusTooManyRequests && e.mentions("PerDay"): // Gemini's quota of a day, beside a delay of seconds
		return providers.KindQuota
	case hasAny(words, "content_filter", "content_policy", "responsibleai", "moderation"),
		status == http.StatusForbidden && hasAny(message, "moderation", "flagged"):
		return providers.KindFiltered
	case status == http.StatusTooManyRequests, status == 0 && hasAny(words, "rate_limit", "resource_exhausted"):
		return providers.KindRateLimited
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		hasAny(words, "invalid_api_key", "authentication_error"), strings.Contains(message, "api key not valid"),
		e.mentions("API_KEY_INVALID"):
		return providers.KindAuth
	case refusesOption(status, message):
		return providers.KindInvalid
	case status == http.StatusNotFound, hasAny(words, "model_not_found"):
		return providers.KindNotFound
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		return providers.KindOverloaded
	case status >= 400, hasAny(words, "invalid_request"):
		return providers.KindInvalid
	default:
		return providers.KindOverloaded
	}
}

// refusesOption says whether OpenRouter or llama.cpp refuses an option of the request, in
// spite of the status.
func refusesOption(status int, message string) bool {
	return status == http.StatusNotFound && strings.Contains(message, "no endpoints found that support") ||
		status == http.StatusInternalServerError && strings.Contains(message, "requires --jinja flag")
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// retryAfter reads the least wait a server demands, in any spelling.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s)
	}
	if t, err := http.ParseTime(v); err == nil {
		if said, err := http.ParseTime(h.Get("Date")); err == nil {
			now = said // by the server's clock, which this machine's may be years away from
		}
		return seconds(t.Sub(now).Seconds())
	}
	return 0
}

// retryDelay reads the wait that Gemini puts among an error's details ("37s").
func (e *wireError) retryDelay() time.Duration {
	var details []struct {
		RetryDelay string `json:"retryDelay"`
	}
	if json.Unmarshal(e.Details, &details) != nil {
		return 0
	}
	for _, d := range details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			return max(0, wait)
		}
	}
	return 0
}

// seconds turns s into a duration of at most a day.
func seconds(s float64) time.Duration {
	if math.IsNaN(s) || s <= 0 {
		return 0
	}
	return time.Duration(math.Min(s, 86400) * float64(time.Second))
}
