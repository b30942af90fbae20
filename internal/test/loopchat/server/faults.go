package server

import (
	"encoding/json"
	"net/http"
	"time"

	"parley/internal/test/fakehttp"
	"parley/internal/test/loopchat"
)

// Fault is the fault of one request. The zero value is no fault.
type Fault struct {
	// Delay comes before everything else, and a client that leaves meanwhile
	// takes its request with it. Hold comes between effect and answer.
	Delay, Hold time.Duration
	// Status, when not 0, is answered instead of doing anything.
	Status int
	// RetryAfter goes with status 429; Account says that it holds for all chats.
	RetryAfter time.Duration
	Account    bool
	// CutBefore ends the connection without effect, CutAfter with it. Both leave it
	// unanswered.
	CutBefore, CutAfter bool
}

// before applies the part of the fault before the effect, and reports whether there is
// to be one.
func (f Fault) before(w http.ResponseWriter, r *http.Request) bool {
	if !fakehttp.Pause(r.Context(), f.Delay) {
		return false
	}
	if f.CutBefore {
		panic(http.ErrAbortHandler)
	}
	if f.Status == 0 {
		return true
	}
	w.WriteHeader(f.Status)
	answer := loopchat.SendResponse{
		Error: http.StatusText(f.Status), RetryAfter: f.RetryAfter.Seconds(), Account: f.Account,
	}
	_ = json.NewEncoder(w).Encode(answer) // a client that has gone does not care
	return false
}
