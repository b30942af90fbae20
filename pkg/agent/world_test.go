package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

// patience bounds every wait of these tests; a test that passes ends long before.
const patience = time.Minute

// script is a model with answers that the test writes.
type script func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error)

func (s script) Chat(
	ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	return s(ctx, msgs, defs)
}

// hanging is a model without answers; see hang.
func hanging(asked chan<- struct{}) script {
	return func(ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return hang(ctx, asked)
	}
}

// hang says that the model was asked, and waits until the wait for the answer is over.
func hang(ctx context.Context, asked chan<- struct{}) (*providers.LLMResponse, error) {
	asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func say(text string) (*providers.LLMResponse, error) {
	return &providers.LLMResponse{Content: text, FinishReason: providers.FinishStop}, nil
}

func call(name, args string) (*providers.LLMResponse, error) {
	m, err := providers.DecodeArguments(args)
	if err != nil {
		return nil, err
	}
	return &providers.LLMResponse{
		FinishReason: providers.FinishToolCalls,
		ToolCalls:    []providers.ToolCall{{ID: "call_" + name, Type: "function", Name: name, Arguments: m, RawArguments: args}},
	}, nil
}

// last is the newest message of a request.
func last(msgs []providers.Message) providers.Message { return msgs[len(msgs)-1] }

// users are the texts of a request's user messages.
func users(msgs []providers.Message) []string {
	var out []string
	for i := range msgs {
		if m := &msgs[i]; m.Role == providers.RoleUser && !m.Aside {
			out = append(out, m.Content)
		}
	}
	return out
}

// world is an agent on a real store, with a channel that the test holds in its hands.
type world struct {
	t    *testing.T
	dir  string
	opts agent.Options
	// lanes is how many chats are at work at once; 0: as many as usual.
	lanes int
	// wrap stands in front of the engine, or is nil.
	wrap   func(session.Engine) session.Engine
	policy *policy.Policy
	// hub has the events of the turns, or is nil.
	hub *events.Hub
	// channel is the channel that messages leave by; nil: the test takes them from
	// sent.
	channel channels.Channel

	eng   *local.Engine
	agent *agent.Agent
	stop  func()

	mu   sync.Mutex
	n    int
	sent chan channels.Outbound
}

type option func(*world)

func withOptions(f func(*agent.Options)) option { return func(w *world) { f(&w.opts) } }

// withGrace lets running turns go on for d when the agent stops.
func withGrace(d time.Duration) option {
	return withOptions(func(o *agent.Options) { o.Limits.Grace = d })
}

func newWorld(t *testing.T, model providers.LLMProvider, registry []tools.Tool, opts ...option) *world {
	t.Helper()
	p, err := policy.New(policy.Options{
		Owners:   []string{"test:1"},
		Channels: map[string]policy.ChannelRules{"test": {Everyone: true, Direct: policy.LevelRead}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), policy: p, sent: make(chan channels.Outbound, 1000)}
	reg := tools.NewToolRegistry()
	for _, tool := range registry {
		reg.Register(tool)
	}
	space := t.TempDir()
	w.opts = agent.Options{
		Models: turn.Model{Provider: model, Name: "script"}, Tools: reg, Authorize: p.Authorize,
		Files:  agent.Files{Space: func(channels.Address, bool) string { return space }},
		Limits: agent.Limits{Grace: patience}, Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel),
	}
	for _, o := range opts {
		o(w)
	}
	w.start()
	t.Cleanup(func() { w.stop() })
	return w
}

// start opens the store and runs the agent and a channel that accepts everything.
func (w *world) start() {
	w.t.Helper()
	eng, err := local.Open(w.t.Context(), local.Options{Dir: filepath.Join(w.dir, "state"), Log: zerolog.Nop(), Lanes: w.lanes})
	if err != nil {
		w.t.Fatal(err)
	}
	w.eng = eng
	w.opts.Engine, w.opts.Facts = eng, local.Facts(eng)
	if w.wrap != nil {
		w.opts.Engine = w.wrap(eng)
	}
	gate := w.gate()
	w.agent, err = agent.New(w.opts)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	out, cancelOut := context.WithCancel(context.Background())
	wg.Go(func() {
		if err := w.agent.Run(ctx); err != nil {
			w.t.Errorf("Run: %v", err)
		}
		cancelOut()
	})
	wg.Go(func() {
		if gate != nil {
			_ = gate.Run(out)
			return
		}
		_ = eng.Outbox().RunOutbox(out, "test", "", func(ctx context.Context, d channels.Delivery) error {
			if err := d.Plan(ctx, []string{d.Info().Outbound.Text}); err != nil {
				return err
			}
			w.sent <- d.Info().Outbound
			err := d.Settle(ctx, channels.Outcome{State: channels.Delivered, Receipt: channels.Receipt{MessageID: "m", Time: time.Now()}})
			o := d.Info().Outbound
			w.hub.Delivered(o.Address, o.ID, events.Message{Text: o.Text})
			return err
		})
	})
	w.stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		if err := eng.Close(); err != nil {
			w.t.Errorf("Close: %v", err)
		}
	})
}

// gate is the way out by the world's channel, which also shows answers while they grow.
func (w *world) gate() *channels.Egress {
	if w.channel == nil {
		return nil
	}
	gate := channels.NewEgress(channels.EgressOptions{Outbox: w.eng.Outbox(), Channel: w.channel, Log: zerolog.Nop()})
	surface(&w.opts, func(s *turn.Surface) { s.Editor = gate })
	return gate
}

func chatAddr(chat string) channels.Address { return channels.Address{Channel: "test", Chat: chat} }

// write lets somebody write to a chat; user 1 is the owner.
func (w *world) write(chat, user, text string) {
	w.t.Helper()
	w.mu.Lock()
	w.n++
	id := strconv.Itoa(w.n)
	w.mu.Unlock()
	w.accept(channels.Inbound{
		ID: id, Kind: channels.KindMessage, Address: chatAddr(chat), Sender: channels.Sender{ID: user},
		Text: text, Direct: !strings.HasPrefix(chat, "group"), Mentioned: true, MessageID: id, Time: time.Now(),
	})
}

// accept lets in the items that a platform delivers at once.
func (w *world) accept(in ...channels.Inbound) {
	w.t.Helper()
	if err := w.agent.Accept(w.t.Context(), in, nil); err != nil {
		w.t.Fatal(err)
	}
}

// expect waits for the next message that leaves.
func (w *world) expect() channels.Outbound {
	w.t.Helper()
	select {
	case o := <-w.sent:
		return o
	case <-time.After(patience):
		w.t.Fatal("nothing was sent")
		return channels.Outbound{}
	}
}

func (w *world) expectText(want string) {
	w.t.Helper()
	if got := w.expect().Text; got != want {
		w.t.Fatalf("sent %q, want %q", got, want)
	}
}

// settled waits until the store is at rest, and fails when more was sent.
func (w *world) settled() {
	w.t.Helper()
	deadline := time.After(patience)
	for {
		st, err := w.eng.Status(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if st.Waiting == 0 && st.Sending == 0 {
			break
		}
		select {
		case <-deadline:
			w.t.Fatalf("the store does not come to rest: %+v", st)
		case <-time.After(time.Millisecond):
		}
	}
	select {
	case o := <-w.sent:
		w.t.Fatalf("sent one more: %q", o.Text)
	default:
	}
}

// summarised waits until the chat's conversation has so many summaries of its oldest parts.
func (w *world) summarised(chat string, want int) {
	w.t.Helper()
	for deadline := time.After(patience); want > 0; {
		info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr(chat))
		n := 0
		if err == nil {
			err = w.eng.Sessions().All(w.t.Context(), info.Session, func(e session.Entry) error {
				if e.Summary {
					n++
				}
				return nil
			})
		}
		if err == nil && n >= want {
			return
		}
		select {
		case <-deadline:
			w.t.Fatalf("the conversation has %d summaries: %v", n, err)
		case <-time.After(time.Millisecond):
		}
	}
}

// transcript is a chat's history as "role: text" lines.
func (w *world) transcript(chat string) []string {
	w.t.Helper()
	info, err := w.eng.Sessions().Lookup(w.t.Context(), chatAddr(chat))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	err = w.eng.Sessions().All(w.t.Context(), info.Session, func(e session.Entry) error {
		line := e.Message.Role + ": " + e.Message.Content
		for _, c := range e.Message.ToolCalls {
			line += fmt.Sprintf("[%s]", c.Name)
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// fn is a tool made of a function.
type fn struct {
	name string
	an   tools.Annotations
	run  func(ctx context.Context, args map[string]any) *tools.ToolResult
}

func (f fn) Name() string                   { return f.name }
func (f fn) Description() string            { return "test tool " + f.name }
func (f fn) Parameters() map[string]any     { return map[string]any{"type": "object"} }
func (f fn) Annotations() tools.Annotations { return f.an }
func (f fn) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	return f.run(ctx, args)
}

func readOnly() tools.Annotations { return tools.Annotations{ReadOnly: true, Level: tools.LevelChat} }

// everywhere is a surface that each address has.
type everywhere turn.Surface

func (s everywhere) At(channels.Address) turn.Surface { return turn.Surface(s) }

// surface changes the abilities of each address.
func surface(o *agent.Options, change func(s *turn.Surface)) {
	s, _ := o.Surfaces.(everywhere)
	change((*turn.Surface)(&s))
	o.Surfaces = s
}
