package fakeslack

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley/internal/test/fakehttp"
)

// answer has the fields of a method's answer besides ok.
type answer map[string]any

// refusal is Slack's {ok: false}: 200 but for ratelimited.
type refusal struct {
	name       string
	status     int
	retryAfter int      // seconds
	messages   []string // response_metadata.messages
}

func (r *refusal) Error() string { return r.name }

// no refuses with a name, and tells the fault in Slack's messages.
func no(name, format string, args ...any) *refusal {
	r := &refusal{name: name, status: http.StatusOK}
	if format != "" {
		r.messages = []string{"[ERROR] " + fmt.Sprintf(format, args...)}
	}
	return r
}

func tooMany(wait time.Duration) *refusal {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	return &refusal{name: "ratelimited", status: http.StatusTooManyRequests, retryAfter: seconds}
}

func refuse(w http.ResponseWriter, r *refusal) {
	body := map[string]any{"ok": false, "error": r.name}
	if len(r.messages) > 0 {
		body["response_metadata"] = map[string]any{"messages": r.messages}
		errs := make([]string, len(r.messages))
		for i, m := range r.messages {
			errs[i] = strings.TrimPrefix(m, "[ERROR] ")
		}
		body["errors"] = errs
	}
	if r.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(r.retryAfter))
	}
	fakehttp.WriteJSON(w, r.status, body, 0)
}
