package agui_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/internal/test/faces"
	"parley/pkg/agent/approval"
	"parley/pkg/agent/command"
	"parley/pkg/agent/turn"
	"parley/pkg/api/agui"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/gateway/linking"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model answers as the test says.
type model func(msgs []providers.Message, emit func(providers.StreamEvent)) *providers.LLMResponse

// world is an agent behind AG-UI.
type world struct{ *faces.World }

// newWorld is a world until the test ends.
func newWorld(tb testing.TB, answers model, all ...tools.Tool) *world {
	tb.Helper()
	return openWorld(tb, "", answers, all...)
}

// openWorld is a process over the state of a folder.
func openWorld(tb testing.TB, dir string, answers model, all ...tools.Tool) *world {
	tb.Helper()
	return &world{faces.Open(tb, faces.Options{
		Dir: dir, Models: turn.Model{Provider: faces.Emits(answers), Name: "script"}, Tools: all, Keyring: faces.People(),
		OnApproval: func(w *faces.World, e approval.Event) {
			if e.Outcome == approval.Allowed || e.Outcome == approval.Denied {
				w.Hub.Tell(e.Approval.Address, events.Resolved{
					ID: e.Approval.ID, Decision: native.ChoiceOf(e.Outcome == approval.Allowed, e.Granted),
				})
			}
		},
		Routes: routes,
	})}
}

// routes are those of AG-UI and of the native API.
func routes(w *faces.World) []httpd.Route {
	api := native.New(native.Options{
		Channel: "web", Hub: w.Hub, Store: w.Parts(), Post: w.Post, Files: w.Files, Linked: linking.New(linking.Options{}),
		Reading: local.Reading(w.Store),
		Tools:   w.Tools, Offered: func(channels.Address, string) bool { return true },
		LevelOf: func(context.Context, channels.Address, channels.Sender) policy.Level { return policy.LevelExec },
		Command: command.Split, Models: func() []string { return nil }, ModelAt: func(channels.Address, string) string { return "" },
		Press: func(q *session.Approval, choice string) string {
			return approval.PressOf(q.ID, choice != "deny", choice == "allow_here")
		},
		Rounds: 10, Redact: func(s string) string { return s }, Log: zerolog.Nop(),
	})
	face := agui.New(agui.Options{
		Native: api, Hub: w.Hub, Bodies: httpd.NewBodies(), CallOf: approval.DecidedCall,
		Redact: func(s string) string { return s }, Log: zerolog.Nop(),
	})
	return append(api.Routes("/api", httpd.AccessProgram), face.Routes()...)
}

// post makes a request.
func (w *world) post(ctx context.Context, token, body string) *http.Response {
	w.T.Helper()
	return w.Send(ctx, http.MethodPost, "/agui", token, body)
}

// event is one event of a run.
type event map[string]any

func (e event) typ() string { return e.str("type") }

func (e event) str(field string) string {
	s, _ := e[field].(string)
	return s
}

// stream is a run under way.
type stream struct {
	t    testing.TB
	body *bufio.Scanner
	end  func()
}

// start posts a run.
func (w *world) start(token, body string) *stream {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), faces.Patience)
	resp := w.post(ctx, token, body)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		raw, _ := io.ReadAll(resp.Body)
		cancel()
		w.T.Fatalf("%s: %s %s", body, resp.Status, raw)
	}
	s := &stream{t: w.T, body: bufio.NewScanner(resp.Body), end: sync.OnceFunc(func() { cancel(); _ = resp.Body.Close() })}
	s.body.Buffer(nil, 16<<20)
	w.T.Cleanup(s.end)
	return s
}

// next reads an event; false at the end of the stream.
func (s *stream) next() (event, bool) {
	s.t.Helper()
	for s.body.Scan() {
		line := s.body.Text()
		if strings.HasPrefix(line, ":") || line == "" {
			continue
		}
		data, ok := strings.CutPrefix(line, "data: ")
		var e event
		if !ok || json.Unmarshal([]byte(data), &e) != nil {
			s.t.Fatalf("the stream has %q", line)
		}
		return e, true
	}
	return nil, false
}

// runs runs a run to its end.
func (w *world) runs(token, body string) []event {
	w.T.Helper()
	s := w.start(token, body)
	defer s.end()
	var all []event
	for {
		e, ok := s.next()
		if !ok {
			verify(w.T, all)
			return all
		}
		all = append(all, e)
	}
}
