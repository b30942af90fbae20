package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/test/loopchat"
	"parley/internal/test/loopchat/server"
)

func newServer(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.New(t.Context(), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func send(t *testing.T, s *server.Server, req loopchat.SendRequest) int {
	t.Helper()
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(s.URL+"/send", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func TestReport(t *testing.T) {
	t.Parallel()
	// Each step sends; A and B are the asks of chat a, C that of chat c, X a canary of chat a.
	type step struct{ chat, thread, text string }
	tests := map[string]struct {
		steps []step
		want  server.Report
	}{
		"answered in order":    {[]step{{"a", "", "A"}, {"a", "", "B"}, {"c", "t", "C"}}, server.Report{Answered: 3}},
		"two in one message":   {[]step{{"a", "", "A B"}}, server.Report{Answered: 2}},
		"out of order":         {[]step{{"a", "", "B"}, {"a", "", "A"}}, server.Report{Answered: 2, Inversions: 1}},
		"twice":                {[]step{{"a", "", "A"}, {"a", "", "A"}}, server.Report{Answered: 1, Duplicates: 1}},
		"to the wrong chat":    {[]step{{"c", "t", "A"}}, server.Report{Misrouted: 1}},
		"to the wrong thread":  {[]step{{"c", "", "C"}}, server.Report{Misrouted: 1}},
		"nobody asked":         {[]step{{"a", "", "rqffffffffffff"}}, server.Report{Phantoms: 1}},
		"canary at home":       {[]step{{"a", "", "X"}}, server.Report{}},
		"canary in wrong chat": {[]step{{"c", "", "X"}}, server.Report{Misrouted: 1}},
		"unknown canary":       {[]step{{"c", "", "cq000000000000"}}, server.Report{Phantoms: 1}},
		"too short a nonce":    {[]step{{"a", "", "rqfff"}}, server.Report{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			asks := s.AskAll([]server.Question{{Chat: "a", Text: "1"}, {Chat: "a", Text: "2"}, {Chat: "c", Thread: "t", Text: "3"}})
			words := map[string]string{"A": "rq" + asks[0].Nonce, "B": "rq" + asks[1].Nonce, "C": "rq" + asks[2].Nonce, "X": s.Canary("a")}
			for _, st := range tc.steps {
				text := ""
				for w := range strings.FieldsSeq(st.text) {
					if word, ok := words[w]; ok {
						text += " " + word
					} else {
						text += " " + w
					}
				}
				if status := send(t, s, loopchat.SendRequest{Chat: st.chat, Thread: st.thread, Text: text}); status != http.StatusOK {
					t.Fatalf("status %d", status)
				}
			}
			tc.want.Asked, tc.want.Messages = 3, len(tc.steps)
			got := s.Report()
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(server.Report{}, "Examples")); diff != "" {
				t.Error(diff)
			}
			if bad := got.Inversions + got.Duplicates + got.Misrouted + got.Phantoms; len(got.Examples) != bad {
				t.Errorf("%d examples for %d faults: %q", len(got.Examples), bad, got.Examples)
			}
		})
	}
}

func TestNoncesDiffer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	seen := map[string]bool{}
	for _, a := range s.AskAll(make([]server.Question, 20000)) {
		if seen[a.Nonce] || len(a.Nonce) != 12 {
			t.Fatalf("nonce %q is not new or not 12 digits", a.Nonce)
		}
		seen[a.Nonce] = true
	}
}

func TestSendRefusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for name, req := range map[string]loopchat.SendRequest{"no chat": {Text: "x"}, "no text": {Chat: "a"}} {
		if status := send(t, s, req); status != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", name, status)
		}
	}
	if n := len(s.Messages("")); n != 0 {
		t.Errorf("%d messages were booked", n)
	}
}

func TestWaitAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	a := s.Ask("a", "hello")
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := server.WaitAnswered(ctx, a); err == nil {
		t.Error("an open ask counts as answered")
	}
	send(t, s, loopchat.SendRequest{Chat: "a", Text: "rq" + a.Nonce})
	if err := server.WaitAnswered(t.Context(), a); err != nil {
		t.Error(err)
	}
}
