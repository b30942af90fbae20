package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"parley/pkg/fair"
	"parley/pkg/httpd"
	"parley/pkg/session"
	"parley/pkg/shelf"
)

// fault is an error of ours. The log has it, and the client a sentence.
func (a *API) fault(err error) *httpd.Refusal {
	full, isFull := errors.AsType[*shelf.FullError](err)
	switch {
	case errors.Is(err, ErrNotNow), errors.Is(err, context.Canceled), errors.Is(err, httpd.ErrRevoked): // or the client is gone
		return &httpd.Refusal{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: textNotNow}
	case errors.Is(err, ErrNotAllowed):
		return &httpd.Refusal{Status: http.StatusForbidden, Code: "not_allowed", Message: textNotAllowed}
	case errors.Is(err, session.ErrTaken):
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textOtherBody, Param: keyHeader}
	case errors.Is(err, shelf.ErrTaken):
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: textOtherBody, Param: keyHeader}
	case isFull:
		return &httpd.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "files_full", Message: full.Error()}
	case errors.Is(err, fair.ErrFull):
		return &httpd.Refusal{Status: http.StatusTooManyRequests, Code: "too_many_requests", Message: textFull}
	}
	a.o.Log.Error().Err(err).Msg("a request of the OpenAI API failed")
	return &httpd.Refusal{Status: http.StatusInternalServerError, Code: "internal_error", Message: textInternal}
}

func notFound(message string) *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: message}
}

func bad(param, message string) *httpd.Refusal {
	return &httpd.Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: message, Param: param}
}

// answer writes a value as JSON.
func (a *API) answer(w http.ResponseWriter, v any) *httpd.Refusal {
	body, err := json.Marshal(v)
	if err != nil {
		return a.fault(err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(append(body, '\n')) // a program that is gone needs no answer
	return nil
}

// finally tells the clients of SDKs not to send a request again on their own: its turn was
// stored and cannot be joined.
func finally(w http.ResponseWriter, p *place) {
	if !p.keyed {
		w.Header().Set("X-Should-Retry", "false")
	}
}
