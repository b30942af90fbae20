package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/agent/turn"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools"
)

// endless is background work that ends only with its context.
type endless struct{ ended chan time.Time }

func (e *endless) Name() string                      { return "work" }
func (e *endless) Description() string               { return "works without end" }
func (e *endless) Parameters() map[string]any        { return map[string]any{"type": "object"} }
func (e *endless) SetCallback(_ tools.AsyncCallback) {}

func (e *endless) Execute(ctx context.Context, _ map[string]any) *tools.ToolResult {
	go func() {
		<-ctx.Done()
		e.ended <- time.Now()
	}()
	return tools.AsyncResult("started")
}

func TestATaskThatDoesNotEndIsEndedAfterAnHourAndToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endless{ended: make(chan time.Time, 1)}
		var told atomic.Value
		w := newWorld(t, script(func(
			ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition,
		) (*providers.LLMResponse, error) {
			told.Store(last(msgs).Content)
			return relay(ctx, msgs, defs)
		}), []tools.Tool{e})
		began := time.Now()
		w.write("1", "1", "work")
		w.expectText("it has started")
		o := <-w.sent
		if after := time.Since(began); after < time.Hour || after > time.Hour+time.Minute {
			t.Errorf("told after %v, want an hour", after)
		}
		if !strings.Contains(o.Text, "work") || !strings.Contains(o.Text, "hour") {
			t.Errorf("told %q", o.Text)
		}
		if end := <-e.ended; end.Sub(began) > time.Hour+time.Minute {
			t.Errorf("the work's context ended after %v", end.Sub(began))
		}
		w.settled()
		if got, _ := told.Load().(string); !strings.Contains(got, "(timed_out)") {
			t.Errorf("the model was told %q", got)
		}
		if open, err := w.eng.Tasks().OpenTasks(t.Context()); err != nil || len(open) != 0 {
			t.Errorf("open tasks %v, %v", open, err)
		}
		w.restart()
		w.settled()
	})
}

func TestAQuietTurnShowsThatItIsAtWorkAfterTenSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &board{notes: make(chan string, 10)}
		asked := make(chan time.Time, 1)
		w := newWorld(t, script(func(context.Context, []providers.Message, []providers.ToolDefinition) (*providers.LLMResponse, error) {
			asked <- time.Now()
			<-time.After(12 * time.Second)
			return say("at last")
		}), nil, withOptions(func(o *agent.Options) {
			surface(o, func(s *turn.Surface) { s.Status = b })
		}))
		w.write("1", "1", "think")
		began := <-asked
		if got := <-b.notes; got != "still working" {
			t.Errorf("noted %q", got)
		}
		if after := time.Since(began); after < 9*time.Second || after > 15*time.Second {
			t.Errorf("noted after %v, want about 10 s", after)
		}
		w.expectText("at last")
		w.settled()
	})
}

// full is an engine with a disk that is full when the first completions come.
type full struct {
	session.Engine

	left atomic.Int64
}

// Tasks implements [session.Engine].
func (f *full) Tasks() session.Tasks { return fullTasks{f.Engine.Tasks(), f} }

type fullTasks struct {
	session.Tasks

	of *full
}

func (f fullTasks) Complete(ctx context.Context, id string, c session.Completion) (bool, error) {
	if f.of.left.Add(-1) >= 0 {
		return false, session.ErrStore
	}
	return f.Tasks.Complete(ctx, id, c)
}

func TestWorkThatEndsWhileTheStoreCannotBeWrittenIsToldLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := &sync.WaitGroup{}
		f := &full{}
		f.left.Store(3)
		w := newWorld(t, script(relay), []tools.Tool{&worker{begin: begin}}, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { f.Engine = e; return f }
			w.opts.Log = zerolog.Nop() // the failures are wanted
		})
		w.write("1", "1", "work")
		var got []string
		for range 2 {
			got = append(got, (<-w.sent).Text)
		}
		slices.Sort(got)
		if want := []string{"done for 1", "it has started"}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		w.settled()
	})
}

func TestALostTaskIsToldWhenTheStoreCanBeWrittenAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endless{ended: make(chan time.Time, 1)}
		f := &full{}
		w := newWorld(t, script(relay), []tools.Tool{e}, func(w *world) {
			w.wrap = func(e session.Engine) session.Engine { f.Engine = e; return f }
			w.opts.Log = zerolog.Nop() // the failures are wanted
		})
		w.write("1", "1", "work")
		w.expectText("it has started")
		w.settled()
		f.left.Store(2)
		w.restart()
		if got := (<-w.sent).Text; !strings.Contains(got, "interrupted") {
			t.Errorf("told %q", got)
		}
		w.settled()
	})
}
