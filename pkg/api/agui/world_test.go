package agui_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/agent"
	"parley/pkg/agent/approval"
	"parley/pkg/agent/command"
	"parley/pkg/agent/turn"
	"parley/pkg/api/agui"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait; a test that passes ends long before.
const patience = time.Minute

// ring knows two tokens of Ada, of which the second may approve, and one of Bob, who reads.
type ring struct{}

func (ring) Token(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	ada := policy.Person{Channel: "web", ID: "ada"}
	callers := map[string]httpd.Caller{
		"ada":      {Person: ada, Level: policy.LevelWrite, Credential: "t1"},
		"approver": {Person: ada, Level: policy.LevelWrite, Credential: "t2", Rights: httpd.Rights()},
		"bob":      {Person: policy.Person{Channel: "web", ID: "bob"}, Level: policy.LevelRead, Credential: "t3", Rights: httpd.Rights()},
	}
	c, ok := callers[secret]
	if !ok {
		return nil, nil, httpd.ErrNoCredential
	}
	return &c, context.Background(), nil
}

func (ring) Session(context.Context, string) (*httpd.Caller, context.Context, error) {
	return nil, nil, httpd.ErrNoCredential
}

// model answers as the test says, and streams its words.
type model func(msgs []providers.Message, emit func(providers.StreamEvent)) *providers.LLMResponse

func (m model) Chat(
	_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	return m(msgs, func(providers.StreamEvent) {}), nil
}

func (m model) ChatStream(
	_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp := m(msgs, emit)
	if resp == nil {
		return nil, &providers.Error{Kind: providers.KindInvalid}
	}
	for piece := range strings.SplitAfterSeq(resp.Content, " ") {
		emit(providers.TextDelta{Text: piece})
	}
	return resp, nil
}

func says(text string) *providers.LLMResponse {
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishStop}
}

func calls(text, name, args string) *providers.LLMResponse {
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{
		{ID: "call_1", Type: "function", Name: name, Arguments: map[string]any{}, RawArguments: args},
	}}
}

// last is the last message that the model reads.
func last(msgs []providers.Message) providers.Message { return msgs[len(msgs)-1] }

// fn is a tool made of a function.
type fn struct {
	name string
	an   tools.Annotations
	run  func(ctx context.Context) string
}

func (f fn) Name() string                   { return f.name }
func (f fn) Description() string            { return "test tool " + f.name }
func (f fn) Parameters() map[string]any     { return map[string]any{"type": "object"} }
func (f fn) Annotations() tools.Annotations { return f.an }
func (f fn) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	return tools.NewToolResult(f.run(ctx))
}

// world is an agent with a real store, behind a server that listens.
type world struct {
	t    testing.TB
	base string
	dir  string
	stop func()
}

// readable is each address with a hub.
type readable struct{ hub *events.Hub }

func (s readable) At(channels.Address) turn.Surface {
	return turn.Surface{Events: s.hub, CanAsk: func(channels.Outbound) error { return nil }}
}

// newWorld is a world until the test ends.
func newWorld(tb testing.TB, answers model, all ...tools.Tool) *world {
	tb.Helper()
	w := openWorld(tb, filepath.Join(tb.TempDir(), "state"), answers, all...)
	tb.Cleanup(func() { w.stop() })
	return w
}

// openWorld is a process over the state of a folder.
func openWorld(tb testing.TB, dir string, answers model, all ...tools.Tool) *world {
	tb.Helper()
	store, err := local.Open(tb.Context(), local.Options{Dir: dir, Log: zerolog.Nop()})
	if err != nil {
		tb.Fatal(err)
	}
	rules, err := policy.New(policy.Options{Channels: map[string]policy.ChannelRules{"web": {Everyone: true, Direct: policy.LevelExec}}})
	if err != nil {
		tb.Fatal(err)
	}
	registry := tools.NewToolRegistry()
	for _, tool := range all {
		registry.Register(tool)
	}
	hub, space := events.New(events.Options{}), tb.TempDir()
	channel := web.New(func(ctx context.Context, p channels.Part) {
		if len(p.Buttons) > 0 {
			id, _ := approval.QuestionOf(p.Buttons[0])
			q, _ := store.Approvals().Approval(ctx, id)
			hub.Delivered(p.Address, p.ID, events.Question{ID: id, ToolCallID: q.Call.ID, Question: p.Text})
			return
		}
		hub.Delivered(p.Address, p.ID, events.Message{ID: p.ID, Role: "assistant", Text: p.Text, Replaces: p.Finishes})
	})
	one, err := agent.New(agent.Options{
		Engine: store, Models: turn.Model{Provider: answers, Name: "script"}, Tools: registry, Authorize: rules.Authorize,
		Files:    agent.Files{Space: func(channels.Address, bool) string { return space }},
		Surfaces: readable{hub}, Limits: agent.Limits{Grace: patience}, Log: zerolog.Nop(),
		OnApproval: func(e approval.Event) {
			if e.Outcome == approval.Allowed || e.Outcome == approval.Denied {
				hub.Tell(e.Approval.Address, events.Resolved{
					ID: e.Approval.ID, Decision: native.ChoiceOf(e.Outcome == approval.Allowed, e.Granted),
				})
			}
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	api := native.New(native.Options{
		Channel: "web", Hub: hub, Store: parts{store.Sessions(), store.Approvals(), store.Inbox()}, Post: posting(channel),
		Tools: registry, Offered: func(channels.Address, string) bool { return true },
		LevelOf: func(context.Context, channels.Address, channels.Sender) policy.Level { return policy.LevelExec },
		Command: command.Split, Models: func() []string { return nil }, ModelAt: func(channels.Address, string) string { return "" },
		Press: func(q *session.Approval, choice string) string {
			return approval.PressOf(q.ID, choice != "deny", choice == "allow_here")
		},
		Rounds: 10, Redact: func(s string) string { return s }, Log: zerolog.Nop(),
	})
	server := httpd.New(httpd.Options{Listen: "127.0.0.1:0", Keyring: ring{}, Log: zerolog.Nop(), Healthy: fine, Ready: fine})
	face := agui.New(agui.Options{
		Native: api, Hub: hub, Silence: "NO_REPLY", CallOf: approval.DecidedCall, Redact: func(s string) string { return s }, Log: zerolog.Nop(),
	})
	for _, route := range append(api.Routes("/api", httpd.AccessProgram), face.Routes()...) {
		server.Handle(route)
	}
	out := channels.NewEgress(channels.EgressOptions{Outbox: store.Outbox(), Channel: channel, Log: zerolog.Nop()})
	w := &world{t: tb, dir: dir}
	w.run(store, one, channel, channels.NewIngress(one, anyone{}, zerolog.Nop()), out, server)
	return w
}

// posting waits for the beginning of the channel's run.
func posting(c *web.Channel) func(context.Context, channels.Inbound) error {
	return func(ctx context.Context, m channels.Inbound) error {
		for {
			err := c.Post(ctx, m)
			if !errors.Is(err, web.ErrNotRunning) || ctx.Err() != nil {
				return err
			}
			<-time.After(time.Millisecond)
		}
	}
}

func fine(context.Context) httpd.State { return httpd.StateOK }

// run runs the parts until stop.
func (w *world) run(
	store *local.Engine, one *agent.Agent, channel *web.Channel, in *channels.Ingress, out *channels.Egress, server *httpd.Server,
) {
	ctx, stop := context.WithCancel(context.Background())
	sending, stopSending := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	addr := make(chan net.Addr, 1)
	parts.Go(func() { _ = channel.Run(ctx, in) })
	parts.Go(func() { _ = out.Run(sending) })
	parts.Go(func() { _ = server.Serve(ctx, func(at net.Addr) { addr <- at }) })
	parts.Go(func() { defer stopSending(); _ = one.Run(ctx) })
	w.base = "http://" + (<-addr).String()
	w.stop = sync.OnceFunc(func() {
		stop()
		parts.Wait()
		if err := store.Close(); err != nil {
			w.t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
}

type parts struct {
	session.Sessions
	session.Approvals
	session.Inbox
}

type anyone struct{}

func (anyone) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

// post makes a request.
func (w *world) post(ctx context.Context, token, body string) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/agui", strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
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
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	resp := w.post(ctx, token, body)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		raw, _ := io.ReadAll(resp.Body)
		cancel()
		w.t.Fatalf("%s: %s %s", body, resp.Status, raw)
	}
	s := &stream{t: w.t, body: bufio.NewScanner(resp.Body), end: sync.OnceFunc(func() { cancel(); _ = resp.Body.Close() })}
	s.body.Buffer(nil, 16<<20)
	w.t.Cleanup(s.end)
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

// runs a run to its end.
func (w *world) runs(token, body string) []event {
	w.t.Helper()
	s := w.start(token, body)
	defer s.end()
	var all []event
	for {
		e, ok := s.next()
		if !ok {
			verify(w.t, all)
			return all
		}
		all = append(all, e)
	}
}
