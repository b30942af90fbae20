package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/session"
)

// Clock computes when jobs fire, from specifications that the agent does not read.
type Clock interface {
	// Tick says what comes of a job that is due at due, now being not before it.
	Tick(spec json.RawMessage, due, now time.Time) (Tick, error)
	// Describe says in a few words when a job fires.
	Describe(spec json.RawMessage) string
}

// Tick is what comes of a job that is due.
type Tick struct {
	// Next is when it fires again, after now; a zero time: never.
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
	// How late a job is that has missed its time.
	missedAfter = 2 * time.Minute
	// How many failures in a row pause a job.
	maxJobFailures = 3
)

// jobs is what the process knows about jobs: nothing that is not in the store.
type jobs struct {
	// change is held by whoever reads a job and writes it back, and shared by what
	// writes one in a transaction of its own.
	change *sync.RWMutex
	// slots are for the turns of jobs alone: people do not wait for a storm of them.
	slots *places
	// woken is signalled when a job was made or changed, over is closed when none is to
	// fire any more.
	woken chan struct{}
	over  chan struct{}
	end   func()
}

func newJobs(turns int) jobs {
	over := make(chan struct{})
	return jobs{
		change: &sync.RWMutex{}, slots: newPlaces(turns), woken: make(chan struct{}, 1), over: over,
		end: sync.OnceFunc(func() { close(over) }),
	}
}

// wake lets the jobs be looked at now.
func (j *jobs) wake() {
	select {
	case j.woken <- struct{}{}:
	default:
	}
}

// StopJobs ends the firing of jobs, as the end of Run's context does; what falls due
// from then on fires at the next start. Turns go on.
func (a *Agent) StopJobs() { a.jobs.end() }

// startJobs fires jobs until ctx ends; the returned function ends it and waits.
func (a *Agent) startJobs(ctx context.Context) func() {
	if a.o.Clock == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.fireJobs(ctx)
	}()
	return func() { cancel(); <-ended }
}

// fireJobs looks at the jobs whenever one is due, or was changed, or half a minute
// has passed. The store knows what is due; nothing is remembered here.
func (a *Agent) fireJobs(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time // what the clock said at the last look
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.jobs.over:
			return
		case <-a.jobs.woken:
		case <-timer.C:
		}
		wait, err := a.lookAtJobs(ctx, &last)
		if err != nil && ctx.Err() == nil {
			a.o.Log.Error().Err(err).Msg("jobs cannot be fired; they wait")
			wait = jobRetry
		}
		timer.Reset(wait)
	}
}

// lookAtJobs fires what is due, and says how long to wait; last is the time of the
// look before, and becomes that of this one.
func (a *Agent) lookAtJobs(ctx context.Context, last *time.Time) (time.Duration, error) {
	st, err := a.o.Engine.Status(ctx)
	if err != nil || st.Held != "" {
		return jobLook, err
	}
	if err := a.setHeartbeat(ctx); err != nil && ctx.Err() == nil { // the others do not wait for it
		a.o.Log.Error().Err(err).Msg("the heartbeat cannot be set; it is tried again")
	}
	now := a.o.Now().Round(0) // the wall clock, by which jobs are due
	if err := a.rightJobs(ctx, *last, now); err != nil {
		return jobLook, err
	}
	*last = now
	for {
		n, err := a.fireBatch(ctx, now)
		if err != nil {
			return 0, err
		}
		if n < jobBatch {
			break
		}
	}
	next, ok, err := a.o.Engine.Jobs().NextJob(ctx)
	if err != nil || !ok {
		return jobLook, err
	}
	if !next.After(now) { // it was looked at and is not to fire
		return jobLook, nil
	}
	return min(max(next.Sub(a.o.Now()), 0), jobLook), nil
}

// fireBatch fires up to jobBatch jobs and says how many there were. One that cannot
// be fired does not hold up the others.
func (a *Agent) fireBatch(ctx context.Context, now time.Time) (int, error) {
	due, err := a.o.Engine.Jobs().DueJobs(ctx, now, jobBatch)
	var all []error
	for i := range due {
		select {
		case <-a.jobs.over:
			return 0, nil
		default:
		}
		all = append(all, a.fire(ctx, &due[i], now))
	}
	return len(due), errors.Join(append(all, err)...)
}

// fire appends a job's item and moves the job on.
func (a *Agent) fire(ctx context.Context, j *session.Job, now time.Time) error {
	tick, err := a.o.Clock.Tick(j.Spec, j.Due, now)
	if err == nil && !tick.Next.IsZero() && !tick.Next.After(now) {
		err = errors.New("it would fire again in the past")
	}
	id := session.FiringID(j)
	if err != nil {
		a.o.Log.Error().Err(err).Str("job", j.ID).Msg("a job's schedule cannot be followed; it is paused")
		return a.strand(ctx, j, id, err, now)
	}
	a.jobs.change.RLock()
	defer a.jobs.change.RUnlock()
	failpoint.Hit("J1")
	fired, err := a.o.Engine.Jobs().Fire(ctx, j.ID, j.Due, tick.Next, jobItem(j, id, now))
	failpoint.Hit("J2")
	if err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	if fired {
		a.o.Log.Info().Str("job", j.ID).Time("due", j.Due).Time("next", tick.Next).Msg("a job fires")
	}
	return nil
}

// strand pauses a job whose schedule cannot be followed; its turn tells the chat.
func (a *Agent) strand(ctx context.Context, j *session.Job, id string, why error, now time.Time) error {
	if err := a.o.Engine.Inbox().Append(ctx, []session.Item{jobItem(j, id, now)}, nil); err != nil {
		return fmt.Errorf("job %s: %w", j.ID, err)
	}
	_, err := a.PauseJob(ctx, j.ID, "its schedule cannot be followed: "+cut(why.Error(), 200))
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

// changeJob reads a job, lets f change it and writes it back, unless f
// says what is wrong. [session.ErrNotFound]:
// there is no such job.
func (a *Agent) changeJob(ctx context.Context, id string, f func(*session.Job) error) (session.Job, error) {
	a.jobs.change.Lock()
	defer a.jobs.change.Unlock()
	j, err := a.o.Engine.Jobs().Job(ctx, id)
	if err != nil {
		return j, err
	}
	if err := f(&j); err != nil {
		return j, err
	}
	if err := a.o.Engine.Jobs().PutJob(ctx, j); err != nil {
		return j, err
	}
	a.jobs.wake()
	return j, nil
}

// Job finds one job. [session.ErrNotFound]: there is none.
func (a *Agent) Job(ctx context.Context, id string) (session.Job, error) {
	return a.o.Engine.Jobs().Job(ctx, id)
}

// PauseJob keeps a job from firing; why says so in one line.
func (a *Agent) PauseJob(ctx context.Context, id, why string) (session.Job, error) {
	return a.changeJob(ctx, id, func(j *session.Job) error {
		j.Paused, j.Why = true, why
		return nil
	})
}

// Why a job stays paused.
var (
	// ErrOver says that the only time of a job has passed.
	ErrOver = errors.New("its time is over: remove the job, or give it another time in the chat")
	// ErrSchedule says that nobody can tell when a job is due.
	ErrSchedule = errors.New("its schedule cannot be followed: remove the job, or give it another time in the chat")
)

// ResumeJob lets a paused job fire again: times that it missed while it was paused
// do not count. [ErrOver], [ErrSchedule]: there will be no other.
func (a *Agent) ResumeJob(ctx context.Context, id string) (session.Job, error) {
	return a.changeJob(ctx, id, func(j *session.Job) error {
		now := a.o.Now()
		if j.Paused && !j.Due.After(now) {
			tick, err := a.o.Clock.Tick(j.Spec, j.Due, now)
			switch {
			case err != nil:
				return fmt.Errorf("%w (%w)", ErrSchedule, err)
			case tick.Next.IsZero():
				return ErrOver
			}
			j.Due = tick.Next
		}
		j.Paused, j.Why, j.Failures = false, "", 0
		return nil
	})
}

// ErrConfigured says that a job is the configuration's.
var ErrConfigured = errors.New("the configuration owns this job: it ends when agent.heartbeat is taken out there")

// RemoveJob ends a job.
func (a *Agent) RemoveJob(ctx context.Context, id string) error {
	if id == HeartbeatID {
		return ErrConfigured
	}
	a.jobs.change.Lock()
	defer a.jobs.change.Unlock()
	return a.o.Engine.Jobs().DeleteJob(ctx, id)
}

// FireNow runs a job once, now, also one that is paused; when it is due stays.
func (a *Agent) FireNow(ctx context.Context, id string) (session.Job, error) {
	j, err := a.o.Engine.Jobs().Job(ctx, id)
	if err != nil {
		return j, err
	}
	now, ran := a.o.Now(), j
	ran.Due = now
	item := jobItem(&ran, session.ManualFiringID(id, now), now)
	return j, a.o.Engine.Inbox().Append(ctx, []session.Item{item}, nil)
}
