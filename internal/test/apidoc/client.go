package apidoc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// Client is a client whose exchanges are held against the document: a request that is served fits
// it, each answer fits it, refusals and the events of streams too, and a refusal names fields that the
// document knows. The test fails with what does not.
func (d *Document) Client(tb testing.TB) *http.Client {
	tb.Helper()
	next := &http.Transport{}
	tb.Cleanup(next.CloseIdleConnections)
	return &http.Client{Transport: &watcher{tb: tb, doc: d, next: next}}
}

// watcher watches exchanges.
type watcher struct {
	tb   testing.TB
	doc  *Document
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (w *watcher) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	sent := req.Clone(req.Context())
	if req.Body != nil && req.Body != http.NoBody {
		var err error
		body, err = io.ReadAll(req.Body)
		if err := errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
		sent.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := w.next.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	if err := w.doc.check(w, sent, body, resp); err != nil {
		w.tb.Errorf("%s %s answers %d: %v\nThe document is in pkg/api/spec/document. The request was %.1000s", req.Method, req.URL.Path,
			resp.StatusCode, err, body)
	}
	return resp, nil
}

// check holds one exchange against the document.
func (d *Document) check(w *watcher, req *http.Request, body []byte, resp *http.Response) error {
	route, params := find(d.asked, req.Method, req.URL)
	if route == nil {
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed {
			return nil
		}
		return errors.New("the document has no such operation: add it")
	}
	asks := &openapi3filter.RequestValidationInput{
		Request: req.Clone(req.Context()), PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: authenticated(req), SkipSettingDefaults: true},
	}
	asks.Request.Body = io.NopCloser(bytes.NewReader(body))
	if err := openapi3filter.ValidateRequest(req.Context(), asks); err != nil && resp.StatusCode < http.StatusBadRequest {
		return fmt.Errorf("the handler takes a request that the document refuses: %w", err)
	}
	strict, _ := find(d.answered, req.Method, req.URL)
	asks.Route = strict
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return d.watchStream(w, asks, resp)
	}
	answer, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	if resp.StatusCode == http.StatusMethodNotAllowed { // GET has HEAD with it, which is none of a stream
		return nil
	}
	if err := openapi3filter.ValidateResponse(req.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: asks, Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(answer)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}); err != nil {
		return fmt.Errorf("the document does not have this answer: %w: %.1000s", err, answer)
	}
	return d.namesField(answer)
}

// authenticated says whether a request has what the document wants of it.
func authenticated(req *http.Request) openapi3filter.AuthenticationFunc {
	return func(_ context.Context, in *openapi3filter.AuthenticationInput) error {
		if in.SecurityScheme.Type == "http" && strings.HasPrefix(req.Header.Get("Authorization"), "Bearer ") {
			return nil
		}
		return errors.New("it has no token")
	}
}

// namesField says whether the field that a refusal names is one of the document.
func (d *Document) namesField(answer []byte) error {
	var refusal struct {
		Error struct {
			Param string `json:"param"`
		} `json:"error"`
	}
	_ = json.Unmarshal(answer, &refusal) // a text is no refusal
	name := refusal.Error.Param
	if name == "" {
		return nil
	}
	if i := strings.IndexAny(name, ".["); i > 0 {
		name = name[:i]
	}
	if !d.fields[name] {
		return fmt.Errorf("a handler reads the field %q, which the document does not have", name)
	}
	return nil
}

// watchStream holds the events of a stream against the document while the test reads them.
func (d *Document) watchStream(w *watcher, asks *openapi3filter.RequestValidationInput, resp *http.Response) error {
	answer := asks.Route.Operation.Responses.Status(resp.StatusCode)
	if answer == nil {
		return errors.New("the document does not have this status")
	}
	media := answer.Value.Content.Get("text/event-stream")
	if media == nil {
		return errors.New("the document has no stream there")
	}
	schemas, ok := media.Extensions["x-events"].(map[string]any)
	if !ok {
		return errors.New("the stream has no x-events")
	}
	end, _ := media.Extensions["x-end"].(string)
	resp.Body = &stream{ReadCloser: resp.Body, tell: func(event, data string) {
		if err := d.event(schemas, end, event, data); err != nil {
			w.tb.Errorf("%s: the event %q is not as the document says: %v\n%s", asks.Route.Path, event, err, data)
		}
	}}
	return nil
}

// event holds one event against its schema.
func (d *Document) event(schemas map[string]any, end, event, data string) error {
	if event == "" {
		event = "message"
	}
	name, ok := schemas[event].(string)
	if !ok {
		name, ok = schemas["*"].(string)
	}
	switch {
	case !ok:
		return errors.New("x-events does not have it")
	case end != "" && data == end:
		return nil
	}
	schema, err := d.schema(name)
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		return err
	}
	return schema.VisitJSON(v, openapi3.EnableJSONSchema2020())
}

// stream is the body of a stream whose whole records are told as they are read.
type stream struct {
	io.ReadCloser

	left []byte
	tell func(event, data string)
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.left = append(s.left, p[:n]...)
	for {
		record, rest, whole := bytes.Cut(s.left, []byte("\n\n"))
		if !whole {
			return n, err
		}
		s.left = bytes.Clone(rest)
		var event, data string
		for line := range strings.Lines(string(record)) {
			switch field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); field {
			case "event":
				event = value
			case "data":
				data = value
			}
		}
		if data != "" {
			s.tell(event, data)
		}
	}
}
