package httpd

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// Refusal is the reason why a request is not served. Its form on the wire is that of the
// OpenAI API, with all four keys, on every route: the clients of all faces read it.
type Refusal struct {
	Status int
	// Code is a word for programs, Message a sentence for people, Param the field that is
	// wrong, or "".
	Code, Message, Param string
}

// Body is the refusal on the wire, for streams that have begun.
func (f *Refusal) Body() map[string]any {
	var param *string
	if f.Param != "" {
		param = &f.Param
	}
	return map[string]any{
		"error": map[string]any{"message": f.Message, "type": kindOf(f.Status), "param": param, "code": f.Code},
	}
}

// Refuse answers with a refusal.
func Refuse(w http.ResponseWriter, f Refusal) {
	body, err := json.Marshal(f.Body())
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	body = append(body, '\n')
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.Status)
	_, _ = w.Write(body)
}

// kindOf is the type of an error for the clients of the OpenAI API.
func kindOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	default:
		return "invalid_request_error"
	}
}

func refused(status int, code, message string) *Refusal {
	return &Refusal{Status: status, Code: code, Message: message}
}
