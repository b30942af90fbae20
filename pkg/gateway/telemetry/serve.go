package telemetry

import (
	"encoding/json"
	"net/http"
	"strconv"

	"parley/pkg/httpd"
)

// Routes serve the rows to programs with the right.
func (l *Log) Routes() []httpd.Route {
	return []httpd.Route{{
		Pattern: "GET /api/tools/telemetry", Access: httpd.AccessProgram, Handler: http.HandlerFunc(l.serve),
	}}
}

func (l *Log) serve(w http.ResponseWriter, r *http.Request) {
	if c := httpd.CallerFrom(r.Context()); c == nil || !c.May(httpd.RightTelemetry) {
		httpd.Refuse(w, httpd.Refusal{Status: http.StatusForbidden, Code: "token_scope_insufficient", Message: textNoRight})
		return
	}
	days := UsualDays
	if word := r.URL.Query().Get("days"); word != "" {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > MostDays {
			httpd.Refuse(w, httpd.Refusal{Status: http.StatusBadRequest, Code: "bad_request", Message: textDays, Param: "days"})
			return
		}
		days = n
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(answer{days, append([]Row{}, l.Days(days)...)}) // a program that is gone needs no answer
}

// answer are the rows of the last days.
type answer struct {
	Days int   `json:"days"`
	Rows []Row `json:"rows"`
}
