package faces

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Request is a request of JSON with a token; header are names and values.
func Request(ctx context.Context, method, address, token, body string, header ...string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req, nil
}

// Send makes a request; the test closes the answer. The body may be odder than the OpenAPI document
// says.
func Send(ctx context.Context, tb testing.TB, method, address, token, body string, header ...string) *http.Response {
	tb.Helper()
	req, err := Request(ctx, method, address, token, body, header...)
	if err != nil {
		tb.Fatal(err)
	}
	return send(tb, &http.Client{}, req)
}

func send(tb testing.TB, client *http.Client, req *http.Request) *http.Response {
	tb.Helper()
	resp, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	return resp
}

// Send makes a request of a path, which is held against the OpenAPI document together with its
// answer; the test closes the answer.
func (w *World) Send(ctx context.Context, method, path, token, body string, header ...string) *http.Response {
	w.T.Helper()
	req, err := Request(ctx, method, w.URL+path, token, body, header...)
	if err != nil {
		w.T.Fatal(err)
	}
	return send(w.T, w.client, req)
}

// Do makes a request of a path and decodes its answer. Both are held against the OpenAPI document.
func (w *World) Do(method, path, token, body string, header ...string) (status int, answer map[string]any) {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.T.Context(), Patience)
	defer cancel()
	resp := w.Send(ctx, method, path, token, body, header...)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		w.T.Fatalf("%s %s: %d %q: %v", method, path, resp.StatusCode, raw, err)
	}
	return resp.StatusCode, answer
}

// Record is one record of a stream of events.
type Record struct{ ID, Event, Data string }

// Records reads the records of a stream; comments are left out.
type Records struct{ lines *bufio.Scanner }

// NewRecords reads from r.
func NewRecords(r io.Reader) *Records {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	return &Records{lines}
}

// Next reads a record; false at the end.
func (s *Records) Next() (r Record, ok bool) {
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id":
			r.ID = value
		case "event":
			r.Event = value
		case "data":
			r.Data = value
		case "":
			if r != (Record{}) {
				return r, true
			}
		}
	}
	return r, false
}
