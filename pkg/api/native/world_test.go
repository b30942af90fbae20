package native_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"parley/pkg/agent"
	"parley/pkg/agent/approval"
	"parley/pkg/agent/command"
	"parley/pkg/agent/turn"
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

// ring knows the tokens of Ada, who writes, of programs of hers, of which one may approve,
// and of Bob, who reads.
type ring struct{}

func (ring) Token(_ context.Context, secret string) (*httpd.Caller, context.Context, error) {
	callers := map[string]httpd.Caller{
		"ada":      {Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t1"},
		"approver": {Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t2", Rights: httpd.Rights()},
		"chooser": {
			Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t5",
			Models: []string{"small"}, Rights: []httpd.Right{httpd.RightCallTools},
		},
		"lost": {
			Person: policy.Person{Channel: "web", ID: "ada"}, Level: policy.LevelWrite, Credential: "t6", Models: []string{"gone"},
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

// named notes the model that is asked.
type named struct {
	model
	asked *atomic.Value
}

func (n named) ChatStream(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, name string, options map[string]any,
	emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	n.asked.Store(name)
	return n.model.ChatStream(ctx, msgs, defs, name, options, emit)
}

// both are the models large and small, of which the large one answers as a rule.
type both struct{ named }

func (b both) For(role turn.Role, _ channels.Address, chosen string) turn.Model {
	if role == turn.RoleTool {
		return turn.Model{}
	}
	name := "large"
	if chosen == "small" {
		name = chosen
	}
	return turn.Model{Provider: b.named, Name: name, Choice: name}
}

func (both) Choices() []turn.Choice { return []turn.Choice{{Name: "large"}, {Name: "small"}} }

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
	t     *testing.T
	store *local.Engine
	hub   *events.Hub
	url   string
	model atomic.Value // the name of the one that was asked last
}

// readable is each address with a hub.
type readable struct{ hub *events.Hub }

func (s readable) At(channels.Address) turn.Surface {
	return turn.Surface{Events: s.hub, CanAsk: func(channels.Outbound) error { return nil }}
}

func newWorld(t *testing.T, answers model, all ...tools.Tool) *world {
	t.Helper()
	store, err := local.Open(t.Context(), local.Options{Dir: filepath.Join(t.TempDir(), "state"), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Options{Channels: map[string]policy.ChannelRules{"web": {Everyone: true, Direct: policy.LevelExec}}})
	if err != nil {
		t.Fatal(err)
	}
	registry := tools.NewToolRegistry()
	for _, tool := range all {
		registry.Register(tool)
	}
	hub, space := events.New(events.Options{}), t.TempDir()
	channel := web.New(func(_ context.Context, p channels.Part) {
		if len(p.Buttons) > 0 {
			id, _ := approval.QuestionOf(p.Buttons[0])
			hub.Delivered(p.Address, p.ID, events.Question{ID: id, Question: p.Text})
			return
		}
		hub.Delivered(p.Address, p.ID, events.Message{ID: p.ID, Role: "assistant", Text: p.Text})
	})
	w := &world{t: t, store: store, hub: hub}
	one, err := agent.New(agent.Options{
		Engine: store, Models: both{named{answers, &w.model}}, Tools: registry, Authorize: rules.Authorize,
		Files:    agent.Files{Space: func(channels.Address, bool) string { return space }},
		Surfaces: readable{hub}, Limits: agent.Limits{Grace: patience}, Log: zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httpd.New(httpd.Options{Listen: "127.0.0.1:0", Keyring: ring{}, Log: zerolog.Nop(), Healthy: fine, Ready: fine})
	for _, route := range native.New(native.Options{
		Channel: "web", Hub: hub, Store: parts{store.Sessions(), store.Approvals(), store.Inbox()}, Post: channel.Post,
		Tools: registry, Offered: func(channels.Address, string) bool { return true },
		LevelOf: func(context.Context, channels.Address, channels.Sender) policy.Level { return policy.LevelExec },
		Command: command.Split,
		Models:  func() []string { return []string{"large", "small"} },
		ModelAt: func(_ channels.Address, chosen string) string { return cmp.Or(chosen, "large") },
		Press: func(q *session.Approval, choice string) string {
			return approval.PressOf(q.ID, choice != "deny", choice == "allow_here")
		},
		Rounds: 10, Redact: func(s string) string { return s }, Log: zerolog.Nop(),
	}).Routes("/api", httpd.AccessProgram) {
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
	w.url = "http://" + (<-addr).String() + "/api"
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

// settled waits until each message has its outcome.
func (w *world) settled() {
	w.t.Helper()
	deadline := time.After(patience)
	for {
		st, err := w.store.Status(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if st.Waiting == 0 && st.Sending == 0 {
			return
		}
		select {
		case <-deadline:
			w.t.Fatalf("the store does not come to rest: %+v", st)
		case <-time.After(time.Millisecond):
		}
	}
}

// asked is the name of the model that was asked last.
func (w *world) asked() string {
	name, _ := w.model.Load().(string)
	return name
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

// record is one record of a stream.
type record struct{ id, event, data string }

// stream is an open stream of events.
type stream struct {
	t    *testing.T
	body *bufio.Scanner
	end  context.CancelFunc
}

// open follows a chat behind an id.
func (w *world) open(token, chat, after string) *stream {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	path := w.url + "/chats/" + chat + "/events?after=" + url.QueryEscape(after)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		w.t.Fatalf("the stream answers %s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	end := sync.OnceFunc(func() { cancel(); _ = resp.Body.Close() })
	w.t.Cleanup(end)
	return &stream{t: w.t, body: bufio.NewScanner(resp.Body), end: end}
}

// next reads a record; comments are left out.
func (s *stream) next() record {
	s.t.Helper()
	var r record
	for s.body.Scan() {
		field, value, _ := strings.Cut(s.body.Text(), ": ")
		switch field {
		case "id":
			r.id = value
		case "event":
			r.event = value
		case "data":
			r.data = value
		case "":
			if r.event != "" {
				return r
			}
		}
	}
	s.t.Fatalf("the stream ended: %v", s.body.Err())
	return r
}

// untilDone reads up to the end of a turn.
func (s *stream) untilDone() []record {
	s.t.Helper()
	var all []record
	for {
		r := s.next()
		if all = append(all, r); r.event == "done" {
			return all
		}
	}
}
