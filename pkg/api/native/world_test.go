package native_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/internal/test/faces"
	"parley/pkg/agent/approval"
	"parley/pkg/agent/command"
	"parley/pkg/agent/turn"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/gateway/linking"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/providers/offline"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ring has beside the tokens of all faces two of Ada with models, of which one is known.
func ring() faces.Ring {
	r := faces.People()
	chooser, lost := faces.Of("ada", policy.LevelWrite, "t5", httpd.RightCallTools), faces.Of("ada", policy.LevelWrite, "t6")
	chooser.Models, lost.Models = []string{"small"}, []string{"gone"}
	r["chooser"], r["lost"] = chooser, lost
	r["page:ada"], r["page:bob"] = faces.Of("ada", policy.LevelWrite, "session/a"), faces.Of("bob", policy.LevelRead, "session/b")
	return r
}

// model answers as the test says.
type model func(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse

// named notes the model that is asked.
type named struct {
	faces.Model
	asked *atomic.Value
}

func (n named) ChatStream(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, name string, options map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	n.asked.Store(name)
	return n.Model.ChatStream(ctx, msgs, defs, name, options, emit)
}

// both are the models large and small, of which the large one answers as a rule.
type both struct{ named }

func (b both) For(role turn.Role, _ channels.Address, chosen string) turn.Model {
	if role == turn.RoleTool {
		return turn.Model{Provider: offline.New(offline.Options{}), Name: offline.ModelName}
	}
	name := "large"
	if chosen == "small" {
		name = chosen
	}
	return turn.Model{Provider: b.named, Name: name, Choice: name}
}

func (both) Choices() []turn.Choice { return []turn.Choice{{Name: "large"}, {Name: "small"}} }

// world is an agent behind the native API.
type world struct {
	*faces.World

	model atomic.Value // the name of the one that was asked last
}

func newWorld(t *testing.T, answers model, all ...tools.Tool) *world {
	t.Helper()
	return newWorldWith(t, ring(), answers, all...)
}

func newWorldWith(t *testing.T, keys httpd.Keyring, answers model, all ...tools.Tool) *world {
	t.Helper()
	w := &world{}
	w.begin(t, keys, both{named{faces.Answers(answers), &w.model}}, all...)
	return w
}

func newWorldOf(t *testing.T, keys httpd.Keyring, models turn.Models, all ...tools.Tool) *world {
	t.Helper()
	w := &world{}
	w.begin(t, keys, models, all...)
	return w
}

// begin runs a world of some models.
func (w *world) begin(t *testing.T, keys httpd.Keyring, models turn.Models, all ...tools.Tool) {
	t.Helper()
	w.World = faces.Open(t, faces.Options{
		OnApproval: func(w *faces.World, e approval.Event) {
			if e.Outcome == approval.Allowed {
				w.Hub.Tell(e.Approval.Address, events.Resolved{ID: e.Approval.ID, Decision: "allow_once", By: e.By.ID})
			}
		},
		Models: models, Tools: all, Keyring: keys, Routes: func(w *faces.World) []httpd.Route {
			api := native.New(native.Options{
				Channel: "web", Hub: w.Hub, Store: w.Parts(), Reading: local.Reading(w.Store), Post: w.Post, Files: w.Files,
				Tools: w.Tools, Offered: func(channels.Address, string) bool { return true },
				LevelOf: func(context.Context, channels.Address, channels.Sender) policy.Level { return policy.LevelExec },
				Command: command.Split,
				Commands: func(*httpd.Caller) any {
					return []map[string]any{{"name": "stop", "does": "stop", "usage": "/stop", "args": []any{}}}
				},
				Models:  func() []string { return []string{"large", "small"} },
				ModelAt: func(_ channels.Address, chosen string) string { return cmp.Or(chosen, "large") },
				Press: func(q *session.Approval, choice string) string {
					return approval.PressOf(q.ID, choice != "deny", choice == "allow_here")
				},
				Rounds: 10, Redact: func(s string) string { return s }, Log: zerolog.Nop(),
				Linked: linking.New(linking.Options{
					Channel: "web", Links: w.Store.Tokens(), Allowed: func(channels.Address, channels.Sender, bool) bool { return true },
				}),
			})
			return slices.Concat(api.Routes("/api", httpd.AccessProgram), api.Routes("/page", httpd.AccessPage))
		},
	})
}

// asked is the name of the model that was asked last.
func (w *world) asked() string {
	name, _ := w.model.Load().(string)
	return name
}

// path is where a route is for a program with a token, or for a browser, whose name begins with
// "page:".
func (w *world) path(who, path string) (string, []string) {
	secret, page := strings.CutPrefix(who, "page:")
	if !page {
		return "/api" + path, nil
	}
	port := w.URL[strings.LastIndexByte(w.URL, ':')+1:]
	return "/page" + path, []string{"Cookie", "parley-" + port + "=" + secret, "Origin", w.URL}
}

// do makes a request and decodes its answer.
func (w *world) do(who, method, path, body string, header ...string) (status int, answer map[string]any) {
	w.T.Helper()
	path, more := w.path(who, path)
	if len(more) == 0 {
		return w.Do(method, path, who, body, header...)
	}
	ctx, cancel := context.WithTimeout(w.T.Context(), faces.Patience)
	defer cancel()
	resp := faces.Send(ctx, w.T, method, w.URL+path, who, body, append(more, header...)...)
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		w.T.Fatal(method, path, resp.Status, err)
	}
	return resp.StatusCode, answer
}

// stream is an open stream of events.
type stream struct {
	t       *testing.T
	records *faces.Records
	end     context.CancelFunc
}

// open follows a chat behind an id.
func (w *world) open(who, chat, after string) *stream {
	w.T.Helper()
	t, ok := w.T.(*testing.T)
	if !ok {
		w.T.Fatal("this is no test")
	}
	ctx, cancel := context.WithTimeout(t.Context(), faces.Patience)
	path, header := w.path(who, "/chats/"+chat+"/events?after="+url.QueryEscape(after))
	var resp *http.Response
	if len(header) > 0 { // the document is that of programs
		resp = faces.Send(ctx, t, http.MethodGet, w.URL+path, who, "", header...)
	} else {
		resp = w.Send(ctx, http.MethodGet, path, who, "")
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream answers %s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	end := sync.OnceFunc(func() { cancel(); _ = resp.Body.Close() })
	t.Cleanup(end)
	return &stream{t: t, records: faces.NewRecords(resp.Body), end: end}
}

// next reads a record.
func (s *stream) next() faces.Record {
	s.t.Helper()
	r, ok := s.records.Next()
	if !ok {
		s.t.Fatal("the stream ended")
	}
	return r
}

// untilDone reads up to the end of a turn.
func (s *stream) untilDone() []faces.Record {
	s.t.Helper()
	var all []faces.Record
	for {
		r := s.next()
		if all = append(all, r); r.Event == "done" {
			return all
		}
	}
}
