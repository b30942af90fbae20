package telegram_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/internal/test/faketelegram"
	"parley/internal/test/inboxtest"
	"parley/internal/test/outboxtest"
	"parley/pkg/agent"
	"parley/pkg/agent/progress"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram"
	"parley/pkg/policy"
	"parley/pkg/providers"
	"parley/pkg/session/local"
	"parley/pkg/tools"
)

// speaker is a model that goes on speaking when the chat has seen its words so far.
type speaker struct {
	pieces []string
	seen   func(ctx context.Context, piece int) error
}

func (s speaker) Chat(
	ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition, _ string, _ map[string]any,
) (*providers.LLMResponse, error) {
	return s.ChatStream(ctx, nil, nil, "", nil, func(providers.StreamEvent) {})
}

func (s speaker) ChatStream(
	ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition,
	_ string, _ map[string]any, emit func(providers.StreamEvent),
) (*providers.LLMResponse, error) {
	for i, piece := range s.pieces {
		emit(providers.TextDelta{Text: piece})
		if err := s.seen(ctx, i); err != nil {
			return nil, err
		}
	}
	return &providers.LLMResponse{Content: strings.Join(s.pieces, ""), FinishReason: providers.FinishStop}, nil
}

// serveWith runs the whole way of a message, from c to the model and back, until the test ends.
func serveWith(t *testing.T, c *telegram.Channel, model providers.LLMProvider, offered ...tools.Tool) {
	t.Helper()
	serveFor(t, outboxtest.Open(t, t.TempDir()), c, model, inboxtest.Everyone{}, func(context.Context, policy.Event) policy.Verdict {
		return policy.Verdict{Allow: true, Level: policy.LevelChat}
	}, offered...)
}

// serveFor does the same with a store, for those whom auth lets in.
func serveFor(
	t *testing.T, e *local.Engine, c *telegram.Channel, model providers.LLMProvider, auth channels.Authorizer,
	authorize func(context.Context, policy.Event) policy.Verdict, offered ...tools.Tool,
) {
	t.Helper()
	gate := channels.NewEgress(channels.EgressOptions{Outbox: e.Outbox(), Channel: c, Log: zerolog.Nop()})
	registry := tools.NewToolRegistry()
	for _, tool := range offered {
		registry.Register(tool)
	}
	a, err := agent.New(agent.Options{
		Engine: e, Models: turn.Model{Provider: model}, Tools: registry,
		Files:     agent.Files{Space: func(channels.Address, bool) string { return t.TempDir() }},
		Authorize: authorize,
		Surfaces:  surface{gate},
		Log:       zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	run := func(f func(context.Context) error) {
		running.Go(func() {
			if err := f(ctx); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	run(func(ctx context.Context) error { return c.Run(ctx, channels.NewIngress(a, auth, zerolog.Nop())) })
	run(a.Run)
	run(gate.Run)
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// TestAnAnswerInAGroupGrowsInOneMessage runs against a server with Telegram's
// own limits: a message is opened, edited and finished, and there is no other.
func TestAnAnswerInAGroupGrowsInOneMessage(t *testing.T) {
	t.Parallel()
	srv := faketelegram.New(t, faketelegram.Options{Limits: faketelegram.Limits{PerChat: 1, GroupPerMinute: 20, PerBot: 30}})
	group := srv.Supergroup("Group", srv.User("Ann"))
	c := senderTo(t, srv)
	model := speaker{
		pieces: []string{"The **first** part ", "is followed by a second ", "and then by the end."},
		seen: func(ctx context.Context, piece int) error {
			return srv.Until(ctx, func() bool {
				all := group.Messages()
				return piece == 2 || len(all) == 1 && all[0].Edits == piece
			})
		},
	}
	serveWith(t, c, model)
	began := time.Now()
	asked := group.Say("@parley_test_bot tell me").MessageID
	const want = "The first part is followed by a second and then by the end."
	if err := group.AwaitText(inboxtest.Limited(t), want); err != nil {
		t.Fatalf("%v; the chat holds %q", err, group.Texts())
	}
	all := group.Messages()
	if len(all) != 1 {
		t.Fatalf("%d messages: %q", len(all), group.Texts())
	}
	m := all[0]
	if diff := cmp.Diff([]string{"The first part", "The first part is followed by a second", want}, m.Versions); diff != "" {
		t.Errorf("what it showed (-want +got):\n%s", diff)
	}
	if m.Edits != 2 || srv.Count("editMessageText") != 2 || srv.Count("sendMessage") != 1 {
		t.Errorf("%d edits in %d requests, %d messages sent", m.Edits, srv.Count("editMessageText"), srv.Count("sendMessage"))
	}
	if m.ReplyTo != asked {
		t.Errorf("it answers message %d, want %d", m.ReplyTo, asked)
	}
	if after := m.Sent.Sub(began); after < 700*time.Millisecond {
		t.Errorf("opened after %v", after)
	}
	edits := srv.Requests("editMessageText")
	if after := edits[0].Time.Sub(m.Sent); after < time.Second {
		t.Errorf("edited after %v", after)
	}
	// The text that the person sees stands there a moment before the request is
	// answered.
	answered := func() bool {
		return !slices.ContainsFunc(srv.Requests(""), func(r faketelegram.Request) bool { return r.Method != "getUpdates" && r.Status == 0 })
	}
	if err := srv.Until(inboxtest.Limited(t), answered); err != nil {
		t.Error(err)
	}
	for _, r := range append(srv.Requests("sendMessage"), srv.Requests("editMessageText")...) {
		if r.Status != http.StatusOK {
			t.Errorf("%s was refused: %s", r.Method, r.Description)
		}
	}
}

// TestAFloodWaitOfAnEditIsARateLimit: messages have to wait too.
func TestAFloodWaitOfAnEditIsARateLimit(t *testing.T) {
	t.Parallel()
	srv, c := sender(t)
	at := where(c, srv.Supergroup("Group", srv.User("Ann")))
	id := outboxtest.SendAll(t, c, at, "thinking")[0].MessageID
	srv.Harm(faketelegram.Rule{Method: "editMessageText", Times: 1, Fault: faketelegram.TooManyRequests(7)})
	err := c.Edit(t.Context(), at, id, "text")
	if se := channels.ClassOf(err); se.Class != channels.SendRateLimited || se.RetryAfter != 7*time.Second {
		t.Errorf("class %s after %v: %v", se.Class, se.RetryAfter, err)
	}
}

// surface is that of a chat on a channel that edits, drafts and types.
type surface struct{ out *channels.Egress }

func (s surface) At(channels.Address) turn.Surface {
	return turn.Surface{Surface: progress.Surface{Editor: s.out, Drafter: s.out, Typer: s.out}}
}
