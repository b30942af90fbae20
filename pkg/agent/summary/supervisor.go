package summary

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent/budget"
	"parley/pkg/agent/prompt"
	"parley/pkg/backoff"
	"parley/pkg/fair"
	"parley/pkg/panics"
	"parley/pkg/session"
)

const (
	// AskFor is how long a request may take, from its place on.
	AskFor = 10 * time.Minute
	// How long it waits for the place, and how long the store may take, also while the
	// gateway stops.
	waitFor  = 10 * time.Minute
	storeFor = 5 * time.Second
	// How long a stop lets the requests go on.
	finishFor = 10 * time.Second
	// How long a conversation rests after a request that failed, at first and at most: it
	// doubles with each failure.
	firstRest   = time.Minute
	longestRest = time.Hour
	// How many places all chats have together, how many requests have one or wait, and how
	// many conversations are known.
	places      = 8
	maxRequests = 500
	maxCuts     = 1000
)

// Causes of an end without a summary.
var (
	errEmpty    = errors.New("the summary is empty")
	errDropped  = errors.New("something else stands in the place of the summary")
	errStopping = errors.New("the gateway is stopping")
)

// Store is where a [Supervisor] puts summaries.
type Store interface {
	// Summarise is that of [session.Sessions].
	Summarise(ctx context.Context, s session.LateSummary) (bool, error)
}

// Options are the parts that a [Supervisor] works with. All are required.
type Options struct {
	Store Store
	// Oldest reads the part to summarise, as [prompt.Reader.Oldest] does.
	Oldest func(ctx context.Context, p prompt.Past, before uint64) (prompt.Part, error)
	// Redact removes secrets from a summary.
	Redact func(string) string
}

// Request is a part of a conversation to summarise, for a turn that was committed.
type Request struct {
	Chat, Session, Turn string
	// Owner is the chat that shares the places with the others: the one that is at work, also
	// for its background agents.
	Owner string
	// From is the Seq of the oldest entry that stays, Past how the turn read the history.
	From  uint64
	Past  prompt.Past
	Model Model
	// Usage is the account for the use of the model. The supervisor closes it.
	Usage *budget.TurnUsage
	Log   *zerolog.Logger
}

// Supervisor owns the requests for summaries. All methods may be called by many at once.
type Supervisor struct {
	o      Options
	places *fair.Places

	mu   sync.Mutex
	base context.Context //nolint:containedctx // the lifetime of all requests; set by Start, ended by Stop
	end  context.CancelCauseFunc
	cuts map[string]*cut // by session
	// running is how many requests have a place or wait for one.
	running int
	wg      sync.WaitGroup
}

// cut is where the requests of a conversation begin while the history has no summary of the
// part before.
type cut struct {
	from  uint64
	rests time.Time // until then no request begins
	// pauses grow with each request that fails; nil before the first.
	pauses *backoff.Exponential
	// drop ends the request that is under way, and ended is closed then; nil: there is none.
	drop  context.CancelCauseFunc
	ended chan struct{}
}

// NewSupervisor returns a supervisor that is idle until Start.
func NewSupervisor(o Options) *Supervisor {
	return &Supervisor{o: o, places: fair.New(places), cuts: map[string]*cut{}}
}

// Start lets requests begin. They end with ctx at the latest.
func (s *Supervisor) Start(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base, s.end = context.WithCancelCause(ctx)
}

// Finish waits for the requests that are under way, and drops them after a few seconds, or
// where the context of Start ends before.
func (s *Supervisor) Finish() {
	defer time.AfterFunc(finishFor, s.drop).Stop()
	s.wg.Wait()
}

// Stop drops the requests that are under way, and waits for their ends.
func (s *Supervisor) Stop() {
	s.drop()
	s.wg.Wait()
}

func (s *Supervisor) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(errStopping) // under the lock: no request begins after this
}

// From is the Seq from which the next request of a conversation has the history; 0: the store
// says it.
func (s *Supervisor) From(conversation string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.cuts[conversation]; c != nil {
		return c.from
	}
	return 0
}

// Begin notes where the requests of a conversation begin, and asks for a summary of the part
// before, unless one is asked for, or the conversation rests.
func (s *Supervisor) Begin(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.noted(r.Session)
	if c == nil {
		return
	}
	c.from = r.From
	if c.drop != nil || time.Now().Before(c.rests) || s.running == maxRequests || s.base == nil || s.base.Err() != nil {
		return
	}
	ctx, drop := context.WithCancelCause(s.base)
	c.drop, c.ended = drop, make(chan struct{})
	s.running++
	s.wg.Go(func() {
		var err error
		if p := panics.Catch(func() { err = s.summarise(ctx, r) }); p != nil {
			r.Log.Error().Bytes("stack", p.Stack).Msg("the request for a summary panicked")
			err = p
		}
		s.over(ctx, r, c, err)
	})
}

// noted is the cut of a conversation, a new one where there is none; nil: there is no room.
// The lock is held.
func (s *Supervisor) noted(conversation string) *cut {
	if c := s.cuts[conversation]; c != nil {
		return c
	}
	if len(s.cuts) == maxCuts {
		for other, c := range s.cuts {
			if c.drop == nil && !time.Now().Before(c.rests) {
				delete(s.cuts, other)
			}
		}
	}
	if len(s.cuts) == maxCuts {
		return nil
	}
	s.cuts[conversation] = &cut{}
	return s.cuts[conversation]
}

// Drop forgets the cut of a conversation, and ends the request that is under way. Once it
// returns nil, the request stores nothing any more.
func (s *Supervisor) Drop(ctx context.Context, conversation string) error {
	s.mu.Lock()
	c := s.cuts[conversation]
	delete(s.cuts, conversation)
	if c == nil || c.drop == nil {
		s.mu.Unlock()
		return nil
	}
	c.drop(errDropped)
	ended := c.ended
	s.mu.Unlock()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// summarise waits for a place, asks for the summary and stores it.
func (s *Supervisor) summarise(ctx context.Context, r *Request) error {
	defer r.Usage.Close()
	wait, cancel := context.WithTimeout(ctx, waitFor)
	defer cancel()
	leave, err := s.places.Take(wait, r.Owner, nil)
	if err != nil {
		return err
	}
	defer leave()
	ask, cancel := context.WithTimeout(ctx, AskFor)
	defer cancel()
	part, err := s.o.Oldest(ask, r.Past, r.From)
	if err != nil {
		return err
	}
	if len(part.Messages) == 0 { // an earlier summary stands for it, which the turn has not seen
		return session.ErrNotFound
	}
	resp, err := r.Model.Ask(ask, oldest(part.Messages))
	if err != nil {
		return err
	}
	late := session.LateSummary{Chat: r.Chat, Session: r.Session, Turn: r.Turn, To: r.From, Spent: r.Usage.Spent()}
	text := strings.TrimSpace(s.o.Redact(resp.Content))
	if text != "" && ctx.Err() == nil {
		late.Summary = &session.Summary{Message: prompt.SummaryMessage(text), Outside: part.Outside}
	}
	store, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeFor)
	defer cancel()
	if _, err := s.o.Store.Summarise(store, late); err != nil {
		return err
	}
	switch {
	case late.Summary != nil:
		return nil
	case text == "":
		return errEmpty
	default:
		return context.Cause(ctx)
	}
}

// over notes the end of a request. A part without a summary stays in the history, and its
// conversation rests.
func (s *Supervisor) over(ctx context.Context, r *Request, c *cut, err error) {
	cause := context.Cause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	c.drop(nil)
	c.drop = nil
	close(c.ended)
	use := r.Usage.Used()
	note := r.Log.Info().Int("read", use.Input).Int("written", use.Output)
	switch {
	case err == nil:
		note.Msg("the oldest part of a conversation is summarised")
		s.forget(r, c)
	case errors.Is(err, session.ErrNotFound), errors.Is(cause, errDropped):
		note.Msg("the summary of a conversation is not needed any more")
		s.forget(r, c)
	case cause != nil:
		note.Msg("the gateway stops before a summary was done; the next message in its chat asks for it again")
	default:
		if c.pauses == nil {
			c.pauses = backoff.New(firstRest, longestRest)
		}
		rest := c.pauses.Next()
		c.rests = time.Now().Add(rest)
		r.Log.Warn().Err(err).Dur("rest", rest).
			Msg("the oldest part of the conversation could not be summarised; the next message after a rest asks for it again")
	}
}

// forget forgets a cut, unless the requests begin behind it by now. The lock is held.
func (s *Supervisor) forget(r *Request, c *cut) {
	if s.cuts[r.Session] == c && c.from == r.From {
		delete(s.cuts, r.Session)
	}
}
