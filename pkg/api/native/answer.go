package native

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"parley/internal/failpoint"
	"parley/pkg/httpd"
)

// Errors of [Options.Post] that a client is told.
var (
	// ErrNotNow says that the gateway takes no messages in now.
	ErrNotNow = errors.New("native: not now")
	// ErrNotAllowed says that the policy does not let the person in.
	ErrNotAllowed = errors.New("native: not allowed")
)

// answer writes a value as JSON.
func (a *API) answer(w http.ResponseWriter, status int, v any) *httpd.Refusal {
	body, err := json.Marshal(v)
	if err != nil {
		return a.fault(err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
	return nil
}

// accepted says that something is stored, at once.
func (a *API) accepted(w http.ResponseWriter, v any) *httpd.Refusal {
	f := a.answer(w, http.StatusAccepted, v)
	_ = http.NewResponseController(w).Flush() // a client that is gone asks again
	failpoint.Hit("P3")
	return f
}

// fault is an error of ours. The log has it, and the client a sentence.
func (a *API) fault(err error) *httpd.Refusal {
	switch {
	case errors.Is(err, ErrNotNow), errors.Is(err, context.Canceled), errors.Is(err, httpd.ErrRevoked): // or the client is gone
		return &httpd.Refusal{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: textNotNow}
	case errors.Is(err, ErrNotAllowed):
		return &httpd.Refusal{Status: http.StatusForbidden, Code: "not_allowed", Message: textNotAllowed}
	}
	a.o.Log.Error().Err(err).Msg("a request of the API failed")
	return &httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: textInternal}
}

func notFound() *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: textNotFound}
}

func bad(param, message string) *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: message, Param: param}
}

func forbidden(message string) *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusForbidden, Code: "token_scope_insufficient", Message: message}
}
