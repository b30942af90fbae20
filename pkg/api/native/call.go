package native

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// toolCall is the body of a direct call of a tool.
type toolCall struct {
	Name string `json:"target_capability"`
	// Version is that of the tool; there is one of each.
	Version string          `json:"target_version,omitempty"`
	Body    json.RawMessage `json:"target_body,omitempty"`
	// Chat is a lasting chat, where the call has its files; without one the call has a chat of its own.
	Chat string `json:"chat,omitempty"`
}

// called is the answer to a call that has ended: the stored message is in the chat.
type called struct {
	Chat       string `json:"chat"`
	Message    string `json:"message"`
	Name       string `json:"name"`
	Result     string `json:"result"`
	IsError    bool   `json:"is_error"`
	DurationMS *int64 `json:"duration_ms,omitempty"`
}

// asked is the answer to a call that a person has to allow first.
type asked struct {
	stored

	Question question `json:"confirmation_required"`
}

// callWait is how long a client waits for a call, which goes on behind it.
const callWait = 5 * time.Minute

// version is how clients write the only version of a tool.
var version = regexp.MustCompile(`^1(\.0){0,2}$`)

// callTool calls a tool without a model: as a turn of the command /tool, with its checks, its
// questions, its budgets and its place in the audit log.
func callTool(a *API, w http.ResponseWriter, r *http.Request, c *httpd.Caller) *httpd.Refusal {
	var q toolCall
	if f := httpd.Decode(r, &q); f != nil {
		return f
	}
	p, id, f := callPlace(a, r, c, q.Chat)
	if f != nil {
		return f
	}
	text, f := callText(r.Context(), a, p, &q)
	if f != nil {
		return f
	}
	to := http.NewResponseController(w)
	if err := errors.Join(to.SetReadDeadline(time.Time{}), to.SetWriteDeadline(time.Time{})); err != nil {
		return a.fault(err)
	}
	s, f := say(r.Context(), a, p, id, &request{Message: text, keyed: len(r.Header.Values(keyHeader)) > 0})
	if f != nil {
		return f
	}
	s.Chat = p.id
	end, err := awaitCall(r.Context(), a, p, &s)
	if err != nil {
		return lostCall(a, err, &s)
	}
	return showCall(a, w, r, p, &q, &s, end)
}

// callPlace is the chat of a direct call, and the key of its message.
func callPlace(a *API, r *http.Request, c *httpd.Caller, chat string) (*place, string, *httpd.Refusal) {
	if !c.May(httpd.RightCallTools) {
		return nil, "", forbidden(textNoCallTools)
	}
	if strings.HasPrefix(chat, channels.PassingID) {
		return nil, "", bad("chat", textPassing)
	}
	if chat == "" {
		chat = channels.PassingID + keyOf(rand.Text())
		if keys := r.Header.Values(keyHeader); len(keys) > 0 {
			chat = channels.PassingID + keyOf(c.Credential, r.URL.Path, keys[0])
		}
	}
	p, ok := a.placeOf(c, chat)
	if !ok {
		return nil, "", bad("chat", textChatID)
	}
	p.program = true
	id, f := inboundID(r, &p)
	return &p, id, f
}

// callText is the command that makes the call.
func callText(ctx context.Context, a *API, p *place, q *toolCall) (string, *httpd.Refusal) {
	if q.Version != "" && !version.MatchString(q.Version) {
		return "", bad("target_version", textVersion)
	}
	if !slices.Contains(a.offered(ctx, p), q.Name) {
		return "", bad("target_capability", fmt.Sprintf(textCapability, q.Name))
	}
	var line bytes.Buffer
	var object map[string]json.RawMessage
	switch {
	case len(q.Body) == 0:
		line.WriteString("{}")
	case json.Unmarshal(q.Body, &object) != nil || object == nil || json.Compact(&line, q.Body) != nil:
		return "", bad("target_body", textCallBody)
	}
	return "/" + commandTool + " " + q.Name + " " + line.String(), nil
}

// callEnd is what a turn of one call came to.
type callEnd struct {
	turn    string
	result  *events.Result
	failure *events.Failure
	done    events.Done
}

// errCallWait says that a call takes longer than its client waits.
var errCallWait = errors.New("native: the call goes on")

// awaitCall follows the turn of a message to its end.
func awaitCall(ctx context.Context, a *API, p *place, s *stored) (*callEnd, error) {
	reader, err := a.o.Hub.Follow(p.at, s.After)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, callWait, errCallWait)
	defer cancel()
	var end *callEnd
	for {
		batch, err := reader.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, err
		}
		for i := range batch {
			if begun, ok := batch[i].Data.(events.TurnBegun); ok {
				end = nil
				if begun.Message == s.Message {
					end = &callEnd{turn: begun.Turn}
				}
			}
			if end != nil && end.take(batch[i].Data) {
				return end, nil
			}
		}
	}
}

// take adds an event of the turn; true for its last one.
func (e *callEnd) take(d events.Data) bool {
	switch d := d.(type) {
	case events.Result:
		if e.result == nil {
			e.result = &d
		}
	case events.Failure:
		e.failure = &d
	case events.Done:
		e.done = d
		return true
	}
	return false
}

// lostCall is the refusal where the end of a call is not known here.
func lostCall(a *API, err error, s *stored) *httpd.Refusal {
	switch {
	case errors.Is(err, errCallWait):
		return &httpd.Refusal{Status: http.StatusGatewayTimeout, Code: "timeout", Message: fmt.Sprintf(textCallWait, s.Chat)}
	case errors.Is(err, events.ErrReset):
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: fmt.Sprintf(textCallMade, s.Chat)}
	case errors.Is(err, context.Canceled), errors.Is(err, httpd.ErrRevoked):
		return &httpd.Refusal{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: textNotNow}
	}
	return a.fault(err)
}

// showCall answers with the end of a call. A tool that failed has a result like any other: the call
// was made.
func showCall(a *API, w http.ResponseWriter, r *http.Request, p *place, q *toolCall, s *stored, end *callEnd) *httpd.Refusal {
	switch {
	case end.failure != nil && end.failure.Code == events.CodeLimited:
		return &httpd.Refusal{Status: http.StatusTooManyRequests, Code: "insufficient_quota", Message: end.failure.Message}
	case end.failure != nil && end.failure.Code == events.CodeRefused:
		return &httpd.Refusal{Status: http.StatusForbidden, Code: "not_allowed", Message: end.failure.Message}
	case end.failure != nil:
		return &httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: end.failure.Message}
	case end.done.Stop == events.StopAsked:
		return askCall(a, w, r, p, s, end.turn)
	case end.done.Stop == events.StopStopped:
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textCallStopped}
	case end.result == nil:
		return &httpd.Refusal{Status: http.StatusForbidden, Code: "not_allowed", Message: textNotAllowed}
	}
	if f := refusedCall(end.result); f != nil {
		return f
	}
	return a.answer(w, http.StatusOK, called{
		Chat: s.Chat, Message: s.Message, Name: q.Name, Result: end.result.Result, IsError: end.result.IsError,
		DurationMS: end.result.DurationMS,
	})
}

// askCall answers with the question about a call.
func askCall(a *API, w http.ResponseWriter, r *http.Request, p *place, s *stored, turn string) *httpd.Refusal {
	info, err := a.o.Store.Lookup(r.Context(), p.at)
	if err != nil {
		return a.fault(err)
	}
	all, err := a.o.Store.ApprovalList(r.Context(), info.Chat)
	if err != nil {
		return a.fault(err)
	}
	i := slices.IndexFunc(all, func(q session.Approval) bool { return q.Call.Turn == turn })
	if i < 0 {
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: fmt.Sprintf(textCallMade, s.Chat)}
	}
	return a.answer(w, http.StatusAccepted, asked{*s, questionOn(a, &all[i])})
}

// refusedCall is the refusal of a call that did not run, by the type of its error.
func refusedCall(result *events.Result) *httpd.Refusal {
	var told struct {
		Error         bool
		Type, Message string
	}
	if !result.IsError || json.Unmarshal([]byte(result.Result), &told) != nil || !told.Error {
		return nil
	}
	f := &httpd.Refusal{Code: told.Type, Message: told.Message}
	switch tools.ErrorType(told.Type) {
	case tools.ErrInvalidArguments:
		f.Status, f.Code, f.Param = http.StatusBadRequest, "bad_request", "target_body"
	case tools.ErrNotFound, tools.ErrDisabled:
		f.Status, f.Code, f.Param = http.StatusBadRequest, "bad_request", "target_capability"
	case tools.ErrPermissionDenied, tools.ErrSecurityViolation, tools.ErrApprovalDenied:
		f.Status = http.StatusForbidden
	case tools.ErrTimeout:
		f.Status = http.StatusGatewayTimeout
	case tools.ErrBusy:
		f.Status = http.StatusServiceUnavailable
	default:
		return nil
	}
	return f
}
