package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
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
	"parley/pkg/agent/turn"
	"parley/pkg/api/openai"
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

// ring knows the tokens of Ada, who writes, of programs of hers, of which one may approve,
// and of Bob, who reads.
type ring struct{}

func (ring) Token(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	callers := map[string]httpd.Caller{
		"ada":      {Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t1"},
		"approver": {Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t2", Rights: httpd.Rights()},
		"chooser": {
			Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t5",
			Models: []string{"small", "vendor/large", "gone"}, Rights: []httpd.Right{httpd.RightCallTools},
		},
		"helper": {Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t4"},
		"self":   {Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t1", Rights: httpd.Rights()},
		"bob":    {Person: policy.Person{Channel: "web", ID: "bob"}, Level: policy.LevelRead, Credential: "t3", Rights: httpd.Rights()},
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

// model answers as the test says, and streams words.
type model func(msgs []providers.Message, defs []providers.ToolDefinition) *providers.LLMResponse

func (m model) Chat(
	_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	return m(msgs, defs), nil
}

func (m model) ChatStream(
	_ context.Context, msgs []providers.Message, defs []providers.ToolDefinition, _ string, _ map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	resp := m(msgs, defs)
	for piece := range strings.SplitAfterSeq(resp.Content, " ") {
		emit(providers.TextDelta{Text: piece})
	}
	return resp, nil
}

func says(text string) *providers.LLMResponse {
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishStop}
}

func calls(name, args string) *providers.LLMResponse {
	return &providers.LLMResponse{FinishReason: providers.FinishToolCalls, ToolCalls: []providers.ToolCall{
		{ID: "call_1", Type: "function", Name: name, Arguments: map[string]any{}, RawArguments: args},
	}}
}

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
	t     testing.TB
	store *local.Engine
	hub   *events.Hub
	url   string
}

// readable is each address with a hub.
type readable struct{ hub *events.Hub }

func (s readable) At(channels.Address) turn.Surface {
	return turn.Surface{Events: s.hub, CanAsk: func(channels.Outbound) error { return nil }}
}

func newWorld(tb testing.TB, answers model, all ...tools.Tool) *world {
	tb.Helper()
	store, err := local.Open(tb.Context(), local.Options{Dir: filepath.Join(tb.TempDir(), "state"), Log: zerolog.Nop()})
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
			a, _ := store.Approvals().Approval(ctx, id)
			hub.Delivered(p.Address, p.ID, events.Question{
				ID: id, ToolCallID: a.Call.ID, Called: a.Call.Tool, Arguments: json.RawMessage(a.Call.Arguments), Question: p.Text,
			})
			return
		}
		hub.Delivered(p.Address, p.ID, events.Message{ID: p.ID, Role: "assistant", Text: p.Text, Replaces: p.Finishes})
	})
	one, err := agent.New(agent.Options{
		Engine: store, Models: turn.Model{Provider: answers, Name: "script"}, Tools: registry, Authorize: rules.Authorize,
		Files:    agent.Files{Space: func(channels.Address, bool) string { return space }},
		Surfaces: readable{hub}, Limits: agent.Limits{Grace: patience}, Log: zerolog.Nop(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	w := &world{t: tb, store: store}
	server := httpd.New(httpd.Options{Listen: "127.0.0.1:0", Keyring: ring{}, Log: zerolog.Nop(), Healthy: fine, Ready: fine})
	w.hub = hub
	for _, route := range openai.New(openai.Options{
		Channel: "web", Hub: hub, Store: parts{store.Sessions(), store.Approvals(), store.Inbox()}, Post: channel.Post,
		Press:   func(q *session.Approval, allow bool) string { return approval.PressOf(q.ID, allow, false) },
		TakesIn: func() bool { return true }, Models: func() []string { return []string{"small", "vendor/large"} },
		ChatHeaders: []string{"X-Chat"}, Redact: func(s string) string { return s }, Log: zerolog.Nop(),
	}).Routes() {
		server.Handle(route)
	}
	out := channels.NewEgress(channels.EgressOptions{Outbox: store.Outbox(), Channel: channel, Log: zerolog.Nop()})
	in := channels.NewIngress(one, anyone{}, zerolog.Nop())
	w.run(one, channel, in, out, server)
	return w
}

func fine(context.Context) httpd.State { return httpd.StateOK }

// run runs the parts until the test ends.
func (w *world) run(one *agent.Agent, channel *web.Channel, in *channels.Ingress, out *channels.Egress, server *httpd.Server) {
	ctx, stop := context.WithCancel(context.Background())
	sending, stopSending := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	addr := make(chan net.Addr, 1)
	parts.Go(func() { _ = channel.Run(ctx, in) })
	parts.Go(func() { _ = out.Run(sending) })
	parts.Go(func() { _ = server.Serve(ctx, func(at net.Addr) { addr <- at }) })
	parts.Go(func() { defer stopSending(); _ = one.Run(ctx) })
	w.url = "http://" + (<-addr).String() + "/v1"
	w.t.Cleanup(func() {
		stop()
		parts.Wait()
		if err := w.store.Close(); err != nil {
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

// do makes a request and decodes its answer.
func (w *world) do(token, method, path, body string, header ...string) (status int, answer map[string]any) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		w.t.Fatalf("%s %s: %d %q: %v", method, path, resp.StatusCode, raw, err)
	}
	return resp.StatusCode, answer
}

// frames are the data of a stream.
func (w *world) frames(body string) (status int, all []string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	resp := w.send(ctx, "ada", "/chat/completions", body)
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case ok:
			all = append(all, data)
		case lines.Text() != "" && !strings.HasPrefix(lines.Text(), ":"):
			all = append(all, "NO DATA: "+lines.Text())
		}
	}
	return resp.StatusCode, all
}

// send posts a body.
func (w *world) send(ctx context.Context, token, path, body string, header ...string) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp
}

// forget lets the hub lose the events of all chats, as two minutes later.
func (w *world) forget() {
	for i := range 40 {
		at := channels.Address{Channel: "web", Chat: "filler" + strings.Repeat("x", i)}
		for range 10 {
			w.hub.Tell(at, events.Notice{Text: strings.Repeat("x", 100_000)})
		}
	}
}
