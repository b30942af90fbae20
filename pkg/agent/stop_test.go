package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/pkg/agent"
	"parley/pkg/agent/prompt"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// starter is background work that does not get to begin.
type starter struct{ entered chan struct{} }

func (s *starter) Name() string                      { return "work" }
func (s *starter) Description() string               { return "never begins" }
func (s *starter) Parameters() map[string]any        { return map[string]any{"type": "object"} }
func (s *starter) SetCallback(_ tools.AsyncCallback) {}

func (s *starter) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	s.entered <- struct{}{}
	<-ctx.Done()
	return tools.ErrorResult("cut off").WithError(ctx.Err())
}

func TestStopWhileBackgroundWorkBeginsLeavesNoTaskBehind(t *testing.T) {
	t.Parallel()
	s := &starter{entered: make(chan struct{}, 1)}
	w := newWorld(t, script(relay), []tools.Tool{s})
	w.write("1", "1", "work")
	<-s.entered
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
	if open, err := w.eng.Tasks().OpenTasks(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("open tasks %v, %v", open, err)
	}
	w.restart()
	w.settled()
}

// slowEars listen to one message without an end.
type slowEars struct{ hear chan struct{} }

func (e slowEars) Perceive(ctx context.Context, _ *turn.Turn, items []session.Item, _ [][]prompt.Fetched) {
	if items[0].Inbound.Text == "and this" { // it has joined a turn
		e.hear <- struct{}{}
		<-ctx.Done()
	}
}

// TestStopIsHeardInAResumedTurn: the turn that goes on after a restart listens again to a message that has
// joined it, and hears /stop meanwhile.
func TestStopIsHeardInAResumedTurn(t *testing.T) {
	t.Parallel()
	g, ears := newGate(), slowEars{hear: make(chan struct{}, 10)}
	model := func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if ctx.Err() != nil { // the process ends
			return nil, ctx.Err()
		}
		return gated(ctx, msgs, defs)
	}
	w := newWorld(t, script(model), []tools.Tool{g.tool()}, withGrace(time.Millisecond), withOptions(func(o *agent.Options) {
		o.Files.Senses = ears
	}))
	w.write("1", "1", "go")
	<-g.entered
	w.write("1", "1", "and this")
	close(g.open)
	<-ears.hear
	w.write("2", "1", "hello") // the step that let the message join is stored before
	w.expectText("seen: hello")
	w.restart()
	<-ears.hear
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
}

func TestStopEndsACompactionAndSaysSoOnce(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	w := newWorld(t, script(func(ctx context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "Summarise") {
			return hang(ctx, asked)
		}
		return say("fine")
	}), nil)
	w.write("1", "1", "hello")
	w.expectText("fine")
	w.write("1", "1", "/compact")
	<-asked
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
	info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
	if err != nil || info.CompactedTo != 0 || len(info.Failed) != 1 || info.Failed[0].Outcome != session.OutcomeStopped {
		t.Errorf("session %+v, %v", info, err)
	}
}

func TestAnEmptySummaryReplacesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, script(func(_ context.Context, msgs []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		if strings.HasPrefix(last(msgs).Content, "Summarise") {
			return say(" ")
		}
		return say("heard " + strings.Join(users(msgs), ","))
	}), nil)
	w.write("1", "1", "one")
	w.expectText("heard one")
	w.write("1", "1", "/compact")
	if got := w.expect().Text; !strings.HasPrefix(got, "The conversation could not be summarised") {
		t.Errorf("told %q", got)
	}
	w.write("1", "1", "two")
	w.expectText("heard one,two")
	w.settled()
}

// TestStopIsToldOnceWhateverThePlatformsClockSays has a platform with a clock that is
// ahead.
func TestStopIsToldOnceWhateverThePlatformsClockSays(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 1)
			w := newWorld(t, hanging(asked), nil)
			w.write("1", "1", "hang")
			<-asked
			stop := func(id string) {
				w.accept(channels.Inbound{
					ID: id, Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"},
					Text: "/stop", Direct: true, Time: time.Now().Add(ahead),
				})
			}
			stop("s1")
			w.expectText("Stopped.")
			w.settled()
			stop("s2")
			w.expectText("No answer is in progress.")
			w.settled()
		})
	}
}

// TestStopEndsWhatWaitsToo: the messages before a /stop are ended with the turn that
// runs, and that is told once.
func TestStopEndsWhatWaitsToo(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]option{"steering": nil, "queueing": {withOptions(queued)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 10)
			w := newWorld(t, script(func(ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
				asked <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}), nil, opts...)
			w.write("1", "1", "hang")
			<-asked
			w.write("1", "1", "and this")
			w.write("1", "1", "/stop")
			w.expectText("Stopped.")
			w.settled()
			w.write("1", "1", "/stop")
			w.expectText("No answer is in progress.")
			w.settled()
			w.write("1", "1", "hang again")
			w.write("1", "1", "/stop")
			w.expectText("Stopped.")
			w.settled()
			info, err := w.eng.Sessions().Lookup(t.Context(), chatAddr("1"))
			if err != nil || len(info.Failed) != 3 || info.Failed[1].Outcome != session.OutcomeStopped {
				t.Errorf("session %+v, %v", info, err)
			}
		})
	}
}

// TestAStopThatNamesAMessage ends the turn of that one alone: a later /stop ends the turn that runs, and the one with the name
// ends its own once that begins.
func TestAStopThatNamesAMessage(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	w := newWorld(t, script(func(ctx context.Context, _ []providers.Message, _ []providers.ToolDefinition) (*providers.LLMResponse, error) {
		return hang(ctx, asked)
	}), nil)
	say := func(id, text, original string) {
		w.accept(channels.Inbound{
			ID: id, Kind: channels.KindMessage, Address: chatAddr("1"), Sender: channels.Sender{ID: "1"}, Text: text, Direct: true,
			MessageID: id, Original: original, Solo: true, Time: time.Now(),
		})
	}
	say("first", "hang", "")
	<-asked
	say("second", "hang too", "")
	say("named", "/stop", "second")
	say("plain", "/stop", "")
	for _, stop := range []string{"plain", "named"} {
		if o := w.expect(); o.Text != "Stopped." || o.ID != session.StopAnswerID(session.InboundItemID(chatAddr("1"), stop)) {
			t.Errorf("sent %q under %q, want the word of %s", o.Text, o.ID, stop)
		}
	}
	w.settled()
}

// settledReceipts tell of a message once the platform has taken or refused it.
type settledReceipts struct{ session.Engine }

type settledOutbox struct{ session.Outbox }

// Outbox implements [session.Engine].
func (s settledReceipts) Outbox() session.Outbox { return settledOutbox{s.Engine.Outbox()} }

func (s settledOutbox) Receipt(ctx context.Context, id string) (channels.Receipt, error) {
	return s.Outbox.Receipt(context.WithoutCancel(ctx), id)
}

// TestAStopThatCouldNotBeToldIsToldAgain: the platform refuses the word that an answer was
// stopped, and the answer to /stop says it.
func TestAStopThatCouldNotBeToldIsToldAgain(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	s := &slate{}
	refusals := 1
	s.send = func(p channels.Part) error {
		if refusals > 0 && strings.Contains(p.Text, "Stopped") {
			refusals--
			return &channels.SendError{Class: channels.SendRefused, Err: errors.New("not this one")}
		}
		return nil
	}
	w := newWorld(t, hanging(asked), nil, func(w *world) {
		w.channel = s
		w.wrap = func(e session.Engine) session.Engine { return settledReceipts{e} }
	})
	w.write("1", "1", "hang")
	<-asked
	w.write("1", "1", "/stop")
	w.settled()
	s.want(t, "Stopped.")
	w.write("1", "1", "/stop")
	w.settled()
	s.want(t, "Stopped.", "No answer is in progress.")
}

// TestStopIsSeenBehindManyMessages, however many wait before it.
func TestStopIsSeenBehindManyMessages(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	w := newWorld(t, hanging(asked), nil)
	w.write("1", "1", "hang")
	<-asked
	const many = 120
	for range many {
		w.write("1", "1", "and this")
	}
	w.write("1", "1", "/stop")
	w.expectText("Stopped.")
	w.settled()
}
