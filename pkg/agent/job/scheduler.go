package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/session"
	"parley/pkg/text"
)

// Timetable computes when jobs fire, from specifications that the agent does not read.
type Timetable interface {
	// Tick is the outcome of a job that is due at due, now being not before it.
	Tick(spec json.RawMessage, due, now time.Time) (Tick, error)
	// Describe says in a few words when a job fires.
	Describe(spec json.RawMessage) string
}

// Tick is the outcome of a job that is due.
type Tick struct {
	// Next is when it fires again, after now; a zero time ends the job.
	Next time.Time
	// Pass says that a time which was missed is passed over.
	Pass bool
}

const (
	// How often jobs are looked at, at least: a clock that jumps and a host that slept
	// move no timer.
	jobLook = 30 * time.Second
	// The pause after a look that met an error.
	jobRetry = 5 * time.Second
	// How many jobs are read at once.
	jobBatch = 100
	// MissedAfter is how late a job is that has missed its time.
	MissedAfter = 2 * time.Minute
	// How much of an error is kept as the reason of a pause, in bytes.
	maxReason = 200
	// MaxFailures is how many failures in a row pause a job.
	MaxFailures = 3
)

// Inbox takes the items of jobs.
type Inbox interface {
	// Append stores items in the inboxes of their chats.
	Append(ctx context.Context, items []session.Item, cursor *channels.Cursor) error
}

// Chats finds the chats of jobs.
type Chats interface {
	// Lookup finds a chat by any address that it was known under.
	Lookup(ctx context.Context, a channels.Address) (session.Info, error)
}

// Options are the parts that a [Scheduler] works with. Only the clock and the heartbeat
// may be nil.
type Options struct {
	Jobs  session.Jobs
	Inbox Inbox
	Chats Chats
	// Status says whether the store is held.
	Status func(ctx context.Context) (session.Status, error)
	// Timetable computes when jobs fire; nil: no job fires.
	Timetable Timetable
	// Now is the wall clock, by which jobs are due.
	Now func() time.Time
	// Heartbeat is the job that the configuration owns, or nil.
	Heartbeat *Heartbeat
	Log       zerolog.Logger
}

// Scheduler fires jobs and changes them. It remembers only the chat of the heartbeat's
// owner; all else is in the store.
type Scheduler struct {
	o Options
	// change is held while a job is read and written back, and shared while a transaction
	// of the engine writes one.
	change sync.RWMutex
	// woken is signalled when a job was made or changed, over is closed when jobs are
	// to fire no longer.
	woken chan struct{}
	over  chan struct{}
	end   func()
	// owner is the latest message of the heartbeat's owner, where that says its chat.
	owner atomic.Pointer[channels.Inbound]
}

// New returns a scheduler that is idle until Start.
func New(o Options) *Scheduler {
	over := make(chan struct{})
	return &Scheduler{o: o, woken: make(chan struct{}, 1), over: over, end: sync.OnceFunc(func() { close(over) })}
}

// wake lets the jobs be looked at now.
func (s *Scheduler) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// Stop ends the firing of jobs, as the end of Start's context does. A job that falls
// due from then on fires at the next start. A second call has no effect.
func (s *Scheduler) Stop() { s.end() }

// Start fires jobs until ctx ends; the returned function ends it and waits.
func (s *Scheduler) Start(ctx context.Context) func() {
	if s.o.Timetable == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.run(ctx)
	}()
	return func() { cancel(); <-ended }
}

// run looks at the jobs whenever one is due, or was changed, or half a minute has
// passed. The store knows the due jobs; this loop keeps no list.
func (s *Scheduler) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time // the clock's time at the last look
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.over:
			return
		case <-s.woken:
		case <-timer.C:
		}
		wait, err := s.look(ctx, &last)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error().Err(err).Msg("jobs cannot be fired; they wait")
			wait = jobRetry
		}
		timer.Reset(wait)
	}
}

// look fires the due jobs, and says how long to wait; last is the time of the look
// before, and becomes that of this one.
func (s *Scheduler) look(ctx context.Context, last *time.Time) (time.Duration, error) {
	st, err := s.o.Status(ctx)
	if err != nil || st.Held != "" {
		return jobLook, err
	}
	if err := s.setHeartbeat(ctx); err != nil && ctx.Err() == nil { // the others do not wait for it
		s.o.Log.Error().Err(err).Msg("the heartbeat cannot be set; it is tried again")
	}
	now := s.o.Now().Round(0) // the wall clock, by which jobs are due
	if err := s.correctLeaps(ctx, *last, now); err != nil {
		return jobLook, err
	}
	*last = now
	for {
		n, err := s.fireBatch(ctx, now)
		if err != nil {
			return 0, err
		}
		if n < jobBatch {
			break
		}
	}
	next, ok, err := s.o.Jobs.NextJob(ctx)
	if err != nil || !ok {
		return jobLook, err
	}
	if !next.After(now) { // it was looked at and is not to fire
		return jobLook, nil
	}
	return min(max(next.Sub(s.o.Now()), 0), jobLook), nil
}

// fireBatch fires up to jobBatch jobs and says how many there were. One that cannot
// be fired does not hold up the others.
func (s *Scheduler) fireBatch(ctx context.Context, now time.Time) (int, error) {
	due, err := s.o.Jobs.DueJobs(ctx, now, jobBatch)
	var all []error
	for i := range due {
		select {
		case <-s.over:
			return 0, nil
		default:
		}
		all = append(all, s.fire(ctx, &due[i], now))
	}
	return len(due), errors.Join(append(all, err)...)
}

// fire appends a job's item and moves the job on.
func (s *Scheduler) fire(ctx context.Context, j *session.Job, now time.Time) error {
	tick, err := s.o.Timetable.Tick(j.Spec, j.Due, now)
	if err == nil && !tick.Next.IsZero() && !tick.Next.After(now) {
		err = errors.New("it would fire again in the past")
	}
	id := session.FiringID(j)
	if err != nil {
		s.o.Log.Error().Err(err).Str("job", j.ID).Msg("a job's schedule cannot be followed; it is paused")
		return s.pauseBroken(ctx, j, id, err, now)
	}
	s.change.RLock()
	defer s.change.RUnlock()
	failpoint.Hit("J1")
	fired, err := s.o.Jobs.Fire(ctx, j.ID, j.Due, tick.Next, jobItem(j, id, now))
	failpoint.Hit("J2")
	if err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	if fired {
		s.o.Log.Info().Str("job", j.ID).Time("due", j.Due).Time("next", tick.Next).Msg("a job fires")
	}
	return nil
}

// pauseBroken pauses a job with a schedule that cannot be followed; its turn tells the
// chat.
func (s *Scheduler) pauseBroken(ctx context.Context, j *session.Job, id string, why error, now time.Time) error {
	if err := s.o.Inbox.Append(ctx, []session.Item{jobItem(j, id, now)}, nil); err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	_, err := s.Pause(ctx, j.ID, "its times cannot be computed: "+text.ClipBytes(why.Error(), maxReason))
	if errors.Is(err, session.ErrNotFound) {
		return nil // it was removed meanwhile
	}
	return err
}

// jobItem starts the turn of a job. Time is when it fired, Job.Due when it should have.
func jobItem(j *session.Job, id string, now time.Time) session.Item {
	return session.Item{
		ID: id, Kind: session.ItemSchedule, Address: j.Address, Job: j, Text: j.Text, Solo: true, Time: now,
	}
}

// Change reads a job, lets f change it and writes it back, unless f returns an error.
// [session.ErrNotFound]: there is no such job.
func (s *Scheduler) Change(ctx context.Context, id string, f func(*session.Job) error) (session.Job, error) {
	s.change.Lock()
	defer s.change.Unlock()
	j, err := s.o.Jobs.Job(ctx, id)
	if err != nil {
		return j, err
	}
	if err := f(&j); err != nil {
		return j, err
	}
	if err := s.o.Jobs.PutJob(ctx, j); err != nil {
		return j, err
	}
	s.wake()
	return j, nil
}

// Keep makes or changes a job: f gets the job as it is, without an id for a new one,
// and returns it as it is to be stored.
func (s *Scheduler) Keep(ctx context.Context, id string, f func(old *session.Job) (session.Job, error)) error {
	s.change.Lock()
	defer s.change.Unlock()
	old, err := s.o.Jobs.Job(ctx, id)
	if errors.Is(err, session.ErrNotFound) {
		old, err = session.Job{}, nil
	}
	if err != nil {
		return err
	}
	j, err := f(&old)
	if err != nil {
		return err
	}
	err = s.o.Jobs.PutJob(ctx, j)
	if errors.Is(err, session.ErrEnded) {
		return nil // an earlier attempt at this call made it, and it has fired
	}
	if err == nil {
		s.wake()
	}
	return err
}

// Committing runs f, which writes the outcome of a job in its transaction: no change of
// a job falls between its reading and its writing.
func (s *Scheduler) Committing(f func() error) error {
	s.change.RLock()
	defer s.change.RUnlock()
	return f()
}

// Get finds one job. [session.ErrNotFound]: it is missing.
func (s *Scheduler) Get(ctx context.Context, id string) (session.Job, error) {
	return s.o.Jobs.Job(ctx, id)
}

// Pause keeps a job from firing; why says so in one line.
func (s *Scheduler) Pause(ctx context.Context, id, why string) (session.Job, error) {
	return s.Change(ctx, id, func(j *session.Job) error {
		j.Paused, j.Why = true, why
		return nil
	})
}

// Why a job stays paused.
var (
	// ErrOver says that the only time of a job has passed.
	ErrOver = errors.New("its time has passed: remove the schedule, or give it another time in the chat")
	// ErrSchedule says that the times of a job cannot be computed.
	ErrSchedule = errors.New("its times cannot be computed: remove the schedule, or give it another time in the chat")
)

// Resume lets a paused job fire again: times that it missed while it was paused
// do not count. [ErrOver], [ErrSchedule]: there will be no other.
func (s *Scheduler) Resume(ctx context.Context, id string) (session.Job, error) {
	return s.Change(ctx, id, func(j *session.Job) error {
		now := s.o.Now()
		if j.Paused && !j.Due.After(now) {
			tick, err := s.o.Timetable.Tick(j.Spec, j.Due, now)
			switch {
			case err != nil:
				return fmt.Errorf("%w (%w)", ErrSchedule, err)
			case tick.Next.IsZero():
				return ErrOver
			}
			j.Due = tick.Next
		}
		j.Paused, j.Why, j.Runs.Failures = false, "", 0
		return nil
	})
}

// ErrConfigured says that a job is the configuration's.
var ErrConfigured = errors.New("this schedule comes from the configuration: remove agent.heartbeat there")

// Remove ends a job.
func (s *Scheduler) Remove(ctx context.Context, id string) error {
	if id == HeartbeatID {
		return ErrConfigured
	}
	s.change.Lock()
	defer s.change.Unlock()
	return s.o.Jobs.DeleteJob(ctx, id)
}

// FireNow runs a job once, now, also one that is paused; when it is due stays.
func (s *Scheduler) FireNow(ctx context.Context, id string) (session.Job, error) {
	j, err := s.o.Jobs.Job(ctx, id)
	if err != nil {
		return j, err
	}
	now, ran := s.o.Now(), j
	ran.Due = now
	item := jobItem(&ran, session.ManualFiringID(id, now), now)
	return j, s.o.Inbox.Append(ctx, []session.Item{item}, nil)
}
