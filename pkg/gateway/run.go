package gateway

import (
	"context"
	"errors"
	"time"

	"parley/pkg/audit"
	"parley/pkg/channels"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/footprint"
	"parley/pkg/session/bolt"
)

// The times of a gateway. Those of a stop together stay under the 30 s that a
// stop may take.
const (
	// How long running turns may go on.
	turnGrace = 20 * time.Second
	// How long answers that are ready may take to leave.
	sendGrace = 3 * time.Second
	// The end of a stop that hangs: the store is safe without it.
	stopLimit = 29 * time.Second
	// When the memory that only the start needed goes back to the system.
	settleTime = 3 * time.Second
	// The pause between two looks at the queue.
	drainLook = 20 * time.Millisecond
)

// ErrStopLimit is for a stop that took too long. A part of the App still uses the store.
var ErrStopLimit = errors.New("something did not end within 29 s of the stop; it will be taken up again at the next start")

// Run runs the channels, the agent and the admin socket until ctx ends, or until
// ended, which is told of the end of each channel, returns true. Then intake stops first,
// then the work, then sending. The error is the one that ended it before.
func (a *App) Run(ctx context.Context, ended func(ctx context.Context, channel string, err error) bool) error {
	intake, stopIntake := context.WithCancelCause(ctx)
	defer stopIntake(nil)
	rest := context.WithoutCancel(ctx)
	work, stopWork := context.WithCancel(rest)
	defer stopWork()
	sending, stopSending := context.WithCancel(rest)
	defer stopSending()

	if err := a.tidy(ctx); err != nil {
		return err
	}
	a.running = true
	a.kept.deadLetters.Age()
	a.audit.note(processRow(audit.KindStart))
	defer a.audit.note(processRow(audit.KindStop))
	socket, err := admin.Listen(a.cfg.StateDir, a.Operations())
	if err != nil {
		return err
	}
	at := &supervisor{
		channels: a.channels, stop: stopIntake, ended: ended, disown: keptIdentity{dir: a.cfg.StateDir}.forget,
		in: channels.NewIngress(a.agent, pairingAuthorizer{policyAuthorizer{a.policy}, a.store.Pairs(), a.o.Log}, a.o.Log),
	}
	at.serving.Go(func() { socket.Serve(sending) })
	at.serving.Go(func() { a.kept.telemetry.Run(sending) })
	at.serving.Go(func() { a.forgetting.Run(sending) })
	working := make(chan struct{})
	go func() {
		defer close(working)
		failWith(stopIntake, a.agent.Run(work))
	}()
	serveHTTP(sending, work, a, &at.serving, stopIntake)
	at.run(intake, sending)
	a.ready()
	at.serving.Go(func() { a.kept.corpora.Run(sending) })

	settled := time.AfterFunc(settleTime, footprint.GiveBack)
	<-intake.Done()
	a.front.takesIn.Store(false)
	a.agent.Jobs().Stop()
	settled.Stop()
	a.o.Log.Info().Msg("stopping")
	limit, cancel := context.WithTimeout(rest, stopLimit)
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		at.taking.Wait()
		stopWork()
		<-working
		a.drain(limit)
		stopSending()
		at.serving.Wait()
	}()
	defer a.logStats()
	select {
	case <-stopped:
	case <-limit.Done():
		return ErrStopLimit
	}
	return endCause(ctx, intake)
}

// tidy goes on with forgets that an earlier process began, and removes files that no message waits for any
// more. A store that is held cannot tell yet which ones those are.
func (a *App) tidy(ctx context.Context) error {
	a.forgetting.Resume(ctx)
	st, err := a.store.Status(ctx)
	if err != nil || st.Held != "" {
		return err
	}
	if err := a.kept.uploads.Sweep(ctx, a.store.Outbox()); err != nil {
		return admin.StoreError(bolt.DirError(a.kept.uploads.Dir(), err))
	}
	return nil
}

// endCause is why the intake ended, where it was not told to.
func endCause(ctx, intake context.Context) error {
	if cause := context.Cause(intake); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// ready tells that the gateway takes messages in.
func (a *App) ready() {
	a.front.takesIn.Store(true)
	a.tools.LogGroups()
	a.o.Log.Info().Str("model", a.models.Name()).Dur("took", time.Since(a.started)).Msg("ready")
	footprint.ReleaseProgram()
}

// drain lets the answers leave that are ready.
func (a *App) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sendGrace)
	defer cancel()
	look := time.NewTicker(drainLook)
	defer look.Stop()
	const patience = 25 // looks without a change: the rest belongs to a channel that is down
	last, same := -1, 0
	for same < patience {
		s, err := a.store.Status(ctx)
		if err != nil || s.Sending == 0 {
			return
		}
		if s.Sending == last {
			same++
		} else {
			last, same = s.Sending, 0
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// logStats writes the calls of each tool to the log.
func (a *App) logStats() {
	for _, s := range a.tools.Registry.Stats() {
		a.o.Log.Info().Str("tool", s.Tool).Uint64("picks", s.Picks).Str("calls", s.String()).Msg("a tool's calls")
	}
}
