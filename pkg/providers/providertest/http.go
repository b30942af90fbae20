package providertest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/pkg/providers"
)

// HTTP describes a provider that asks a server over HTTP, and the wire between them.
type HTTP struct {
	// Connect gives a provider for a server. It ends with the test what it has started.
	Connect func(t *testing.T, s Server) providers.LLMProvider
	// Answer renders an answer: the frames of a stream, or the one body of a whole answer.
	Answer func(a *providers.LLMResponse, stream bool) []string
	// Refusal renders the body of an error, and Late the frame of one within a stream.
	Refusal, Late func(message string) string
	// Read reads a request.
	Read func(body []byte) (Request, error)
	// Told says that the wire tells calls and results as texts, which have no ids.
	Told bool
}

// Server is a server to connect to.
type Server struct {
	// URL has no path. It may hold credentials.
	URL string
	// Key is to be sent with each request.
	Key string
	// Images says that the model takes pictures.
	Images bool
	// Transport replaces the provider's own, unless it is nil.
	Transport http.RoundTripper
}

// RunHTTP checks a provider over HTTP, beside [Run]: whatever bytes a server sends, and
// whenever it stops, the caller gets a whole answer or an error, in time, and no secret.
func RunHTTP(t *testing.T, h HTTP) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, HTTP){
		"answers in small pieces":        checkPieces,
		"answers in the other form":      checkOtherForm,
		"streams of another type":        checkTypes,
		"refusals without end":           checkLongRefusals,
		"cuts in each frame":             checkCuts,
		"cuts before a next model":       checkNext,
		"frames that are no frames":      checkBrokenFrames,
		"errors within a stream":         checkLate,
		"a context that ends":            checkCancel,
		"silence":                        checkSilence,
		"a question on a slow line":      checkSlowRequest,
		"answers without end":            checkEndless,
		"secrets":                        checkSecrets,
		"pictures":                       checkPictures,
		"tool choice":                    checkChoice,
		"calls and results":              checkResults,
		"texts of all kinds":             checkTexts,
		"a conversation with a tool":     checkConversation,
		"redirects":                      checkRedirects,
		"a body that the server refuses": checkTooLarge,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, h)
		})
	}
}

// full is an answer with text and two calls.
func full() *providers.LLMResponse {
	call := func(id, args string) providers.ToolCall {
		return providers.ToolCall{ID: id, Type: "function", Name: "probe", RawArguments: args}
	}
	return &providers.LLMResponse{
		Content: "I shall look, twice: “ä”, \U0001F50D.", FinishReason: providers.FinishToolCalls,
		ToolCalls: []providers.ToolCall{call("call_a1", `{"n":1}`), call("call_b2", `{"n":2,"text":"ä \\ \" \n"}`)},
		Usage:     providers.Usage{PromptTokens: 12, CompletionTokens: 34, TotalTokens: 46},
	}
}

// content is the part of an answer that every wire carries.
type content struct {
	Text  string
	Calls []Call
}

// ids leaves the ids of calls out of a comparison, where the wire has none.
func (h HTTP) ids() cmp.Option {
	if !h.Told {
		return nil
	}
	return cmp.Options{cmpopts.IgnoreFields(Call{}, "ID"), cmpopts.IgnoreFields(Entry{}, "ID")}
}

func contentOf(t *testing.T, r *providers.LLMResponse) content {
	t.Helper()
	out := content{Text: r.Content}
	for i := range r.ToolCalls {
		c := &r.ToolCalls[i]
		args, err := providers.DecodeArguments(c.RawArguments)
		if err != nil || c.BadArguments != "" {
			t.Errorf("call %+v: %v", c, err)
		}
		out.Calls = append(out.Calls, Call{ID: c.ID, Name: c.Name, Arguments: args})
	}
	return out
}

// same compares an answer with the meant one.
func (h HTTP) same(t *testing.T, want, got *providers.LLMResponse) {
	t.Helper()
	if d := cmp.Diff(contentOf(t, want), contentOf(t, got), h.ids()); d != "" {
		t.Errorf("answer (-want +got):\n%s", d)
	}
}

// serve starts a server that ends with the test.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(taken(handle))
	t.Cleanup(srv.Close)
	return srv.URL
}

// taken reads the question before handle answers: only then the server notices that its
// client has gone.
func taken(handle http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone already
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	})
}

// begin sends the headers of an answer.
func begin(w http.ResponseWriter, stream bool) { //nolint:revive // the form of the answer
	kind := "application/json"
	if stream {
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(http.StatusOK)
	flush(w)
}

// write sends a text at once; false means that the client has gone.
func write(w http.ResponseWriter, text string) bool {
	_, err := io.WriteString(w, text)
	return err == nil && flush(w)
}

func flush(w http.ResponseWriter) bool { return http.NewResponseController(w).Flush() == nil }

// typed gives the provider's error for an answer that should have failed.
func typed(t *testing.T, resp *providers.LLMResponse, err error) *providers.Error {
	t.Helper()
	failure, ok := errors.AsType[*providers.Error](err)
	if !ok || resp != nil {
		t.Errorf("%+v, %v; want a *providers.Error alone", resp, err)
		return &providers.Error{}
	}
	return failure
}
