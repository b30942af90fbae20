package faces

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/test/apidoc"
	"parley/pkg/agent"
	"parley/pkg/agent/approval"
	"parley/pkg/agent/turn"
	"parley/pkg/api/native"
	"parley/pkg/channels"
	"parley/pkg/channels/web"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/policy"
	"parley/pkg/session"
	"parley/pkg/session/local"
	"parley/pkg/shelf"
	"parley/pkg/tools"
)

// Patience bounds every wait; a test that passes ends long before.
const Patience = time.Minute

// Options are the parts of a world that its test chooses.
type Options struct {
	// Dir is the folder of the state; without one it is new.
	Dir string
	// Models and Routes are required. Routes are called once, with all other parts ready.
	Models  turn.Models
	Routes  func(w *World) []httpd.Route
	Tools   []tools.Tool
	Keyring httpd.Keyring
	// OnApproval may be nil.
	OnApproval func(w *World, e approval.Event)
}

// World is an agent with a real store, behind a server that listens.
type World struct {
	T     testing.TB
	Store *local.Engine
	Hub   *events.Hub
	Tools *tools.ToolRegistry
	// Files may hold 30 MB of a chat, and 50 MB of a person.
	Files *shelf.Shelf
	// URL is the address of the server, without a path.
	URL string
	// Delivering, where it is set, is called before the hub hears of a delivered part.
	Delivering atomic.Pointer[func(channels.Part)]
	// Stop ends the process; the end of the test does it too.
	Stop func()

	channel *web.Channel
	client  *http.Client // holds each exchange against the OpenAPI document
}

// Parts are the parts of the store that the faces read.
type Parts struct {
	session.Sessions
	session.Approvals
	session.Inbox
	session.Turns
}

// Parts are those of the world.
func (w *World) Parts() Parts {
	return Parts{w.Store.Sessions(), w.Store.Approvals(), w.Store.Inbox(), w.Store.Chats()}
}

// Open opens a world until the test ends.
func Open(tb testing.TB, o Options) *World {
	tb.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(tb.TempDir(), "state")
	}
	store, err := local.Open(tb.Context(), local.Options{Dir: o.Dir, Log: zerolog.Nop()})
	if err != nil {
		tb.Fatal(err)
	}
	rules, err := policy.New(policy.Options{Channels: map[string]policy.ChannelRules{"web": {Everyone: true, Direct: policy.LevelExec}}})
	if err != nil {
		tb.Fatal(err)
	}
	w := &World{T: tb, Store: store, Hub: events.New(events.Options{Group: personOf}), Tools: tools.NewToolRegistry()}
	w.client = apidoc.Load(tb).Client(tb)
	for _, tool := range o.Tools {
		w.Tools.Register(tool)
	}
	w.Files = shelf.New(shelf.Options{
		Dir: filepath.Join(tb.TempDir(), "web"), ChatBytes: 30e6, PersonBytes: 50e6,
		Waits: func(context.Context, string) (bool, error) { return true, nil },
		Lives: func(context.Context, string) (bool, error) { return true, nil },
	})
	w.channel = web.New(web.Options{Show: w.show, Files: w.Files})
	space := tb.TempDir()
	one, err := agent.New(agent.Options{
		Engine: store, Models: o.Models, Tools: w.Tools, Authorize: rules.Authorize,
		Files:    agent.Files{Space: func(channels.Address, bool) string { return space }},
		Surfaces: readable{w.Hub}, Limits: agent.Limits{Grace: Patience}, Log: zerolog.Nop(),
		Questions: agent.Questions{OnApproval: func(e approval.Event) {
			if o.OnApproval != nil {
				o.OnApproval(w, e)
			}
		}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	server := httpd.New(httpd.Options{Listen: "127.0.0.1:0", Keyring: o.Keyring, Log: zerolog.Nop(), Healthy: fine, Ready: fine})
	for _, route := range o.Routes(w) {
		server.Handle(route)
	}
	w.run(one, server)
	tb.Cleanup(w.Stop)
	return w
}

// personOf is the person of a chat.
func personOf(at channels.Address) string {
	person, _, _ := strings.Cut(at.Chat, ".")
	return person
}

func fine(context.Context) httpd.State { return httpd.StateOK }

// readable is each address with a hub.
type readable struct{ hub *events.Hub }

func (s readable) At(channels.Address) turn.Surface {
	return turn.Surface{Events: s.hub, CanAsk: func(channels.Outbound) error { return nil }}
}

// show tells the hub what was delivered.
func (w *World) show(ctx context.Context, p channels.Part) {
	if first := w.Delivering.Load(); first != nil {
		(*first)(p)
	}
	if len(p.Buttons) == 0 {
		w.Hub.Delivered(p.Address, p.ID, events.Message{ID: p.ID, Role: "assistant", Text: p.Text, Replaces: p.Finishes})
		return
	}
	id, _ := approval.QuestionOf(p.Buttons[0])
	q, _ := w.Store.Approvals().Approval(ctx, id)
	w.Hub.Delivered(p.Address, p.ID, events.Question{
		ID: id, ToolCallID: q.Call.ID, Called: q.Call.Tool, Arguments: json.RawMessage(q.Call.Arguments), Question: p.Text,
		Choices: native.Choices(&q), ExpiresAt: q.Expires, Message: p.ID,
	})
}

// Post stores a message, once the channel runs.
func (w *World) Post(ctx context.Context, m channels.Inbound) error {
	for {
		err := w.channel.Post(ctx, m)
		if !errors.Is(err, web.ErrNotRunning) || ctx.Err() != nil {
			return err
		}
		<-time.After(time.Millisecond)
	}
}

type anyone struct{}

func (anyone) Authorize(context.Context, channels.Inbound) channels.Decision {
	return channels.Decision{Allow: true}
}

// run runs the parts until Stop.
func (w *World) run(one *agent.Agent, server *httpd.Server) {
	out := channels.NewEgress(channels.EgressOptions{
		Outbox: w.Store.Outbox(), Channel: w.channel, Log: zerolog.Nop(),
		Settled: func(o channels.Outbound, _ channels.Outcome) { w.Hub.Changed(o.Address) },
	})
	in := channels.NewIngress(one, anyone{}, zerolog.Nop())
	lasting := context.WithoutCancel(w.T.Context())
	ctx, stop := context.WithCancel(lasting)
	sending, stopSending := context.WithCancel(lasting)
	var parts sync.WaitGroup
	addr := make(chan net.Addr, 1)
	parts.Go(func() { _ = w.channel.Run(ctx, in) })
	parts.Go(func() { _ = out.Run(sending) })
	parts.Go(func() { _ = server.Serve(ctx, func(at net.Addr) { addr <- at }) })
	parts.Go(func() { defer stopSending(); _ = one.Run(ctx) })
	w.URL = "http://" + (<-addr).String()
	w.Stop = sync.OnceFunc(func() {
		stop()
		parts.Wait()
		if err := w.Store.Close(); err != nil {
			w.T.Error(err)
		}
		(&http.Client{}).CloseIdleConnections() // those that all clients share
	})
}

// Settled waits until each message has its outcome.
func (w *World) Settled() {
	w.T.Helper()
	deadline := time.After(Patience)
	for {
		st, err := w.Store.Status(w.T.Context())
		if err != nil {
			w.T.Fatal(err)
		}
		if st.Waiting == 0 && st.Sending == 0 {
			return
		}
		select {
		case <-deadline:
			w.T.Fatalf("the store does not come to rest: %+v", st)
		case <-time.After(time.Millisecond):
		}
	}
}

// Forget lets the hub lose the events of all chats, as two minutes later.
func (w *World) Forget() {
	for i := range 40 {
		at := channels.Address{Channel: "web", Chat: "filler" + strings.Repeat("x", i)}
		for range 10 {
			w.Hub.Tell(at, events.Notice{Text: strings.Repeat("x", 100_000)})
		}
	}
}
