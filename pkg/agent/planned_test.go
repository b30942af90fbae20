package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/agent/job"
	"parley/pkg/channels"
	"parley/pkg/providers"
	"parley/pkg/session"
	"parley/pkg/tools/schedule"
)

// planned is an agent with a wall clock that the test can put forward and back.
type planned struct {
	*world

	skew  *atomic.Int64
	asked *atomic.Int64 // how often a model was asked
}

// timetable reads the specs of the schedule tool.
type timetable struct{}

func (timetable) Tick(raw json.RawMessage, due, now time.Time) (job.Tick, error) {
	s, err := schedule.ParseSpec(raw)
	if err != nil {
		return job.Tick{}, err
	}
	next, _ := s.Following(due, now)
	return job.Tick{Next: next, Pass: s.CatchUp == schedule.CatchUpSkip}, nil
}

func (timetable) Describe(raw json.RawMessage) string {
	s, err := schedule.ParseSpec(raw)
	if err != nil {
		return err.Error()
	}
	return s.String()
}

// newPlanned is a world in which jobs fire; the model is parrot where it is nil.
func newPlanned(t *testing.T, model script, opts ...option) *planned {
	t.Helper()
	if model == nil {
		model = parrot
	}
	p := &planned{skew: &atomic.Int64{}, asked: &atomic.Int64{}}
	counted := script(func(ctx context.Context, msgs []providers.Message, defs []providers.ToolDefinition) (*providers.LLMResponse, error) {
		p.asked.Add(1)
		return model(ctx, msgs, defs)
	})
	all := append([]option{withOptions(func(o *agent.Options) {
		o.Jobs.Timetable, o.Now = timetable{}, p.now
		o.Log = zerolog.Nop() // jobs that fail are wanted
	})}, opts...)
	p.world = newWorld(t, counted, nil, all...)
	return p
}

func (p *planned) now() time.Time { return time.Now().Add(time.Duration(p.skew.Load())) }

// put keeps a job as somebody of a chat had it made.
func (p *planned) put(j session.Job) {
	p.t.Helper()
	if j.ID == "" {
		j.ID = "job1"
	}
	if j.Address.Channel == "" {
		j.Address = chatAddr("1")
	}
	if j.Principal.Sender.ID == "" {
		j.Principal.Sender = channels.Sender{ID: "1", Name: "Ada"}
	}
	if info, err := p.eng.Sessions().Lookup(p.t.Context(), j.Address); err == nil {
		j.Chat = info.Chat
	}
	j.Principal.Direct = true
	if err := p.eng.Jobs().PutJob(p.t.Context(), j); err != nil {
		p.t.Fatal(err)
	}
}

// met lets the chat of the owner exist.
func (p *planned) met() {
	p.t.Helper()
	p.write("1", "1", "/new")
	if got := (<-p.sent).Text; !strings.Contains(got, "New conversation started") {
		p.t.Fatalf("sent %q", got)
	}
}

func every(d string) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"every":%q}`, d)) }

func at(t time.Time) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"at":%q}`, t.Format(time.RFC3339)))
}

func (p *planned) next(want string) {
	p.t.Helper()
	if got := (<-p.sent).Text; got != want {
		p.t.Fatalf("sent %q, want %q", got, want)
	}
}

// quiet lets time pass in silence.
func (p *planned) quiet(d time.Duration) {
	p.t.Helper()
	select {
	case o := <-p.sent:
		p.t.Fatalf("sent %q", o.Text)
	case <-time.After(d):
	}
	synctest.Wait()
	p.settled()
}

func (p *planned) job(id string) session.Job {
	p.t.Helper()
	j, err := p.eng.Jobs().Job(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	return j
}

func (p *planned) gone(id string) {
	p.t.Helper()
	if j, err := p.eng.Jobs().Job(p.t.Context(), id); !errors.Is(err, session.ErrNotFound) {
		p.t.Errorf("job %+v, %v", j, err)
	}
}
