package main

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/backoff"
	"parley/pkg/config"
	terminal "parley/pkg/console"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/attach"
)

// homeChat is the chat of a console that names no other.
const homeChat = "local"

// talk is one console: it attaches to the gateway that runs, or runs one itself, to which others
// may attach.
type talk struct {
	host *host
	chat string
	// alone makes each message a turn of its own.
	alone bool
	files []string
	// open makes the console, and what signals do to it.
	open func(cfg *config.Config) (attach.View, signals)
	// trouble is told when the store of an own gateway cannot be written, and with nil when it can
	// again; nil where the console shows it.
	trouble func(stop context.CancelCauseFunc) func(error)
	// introduce says on screen which model answers.
	introduce func(ctx context.Context, a *gateway.App)

	client  atomic.Pointer[attach.Client]
	session atomic.Pointer[attach.Session]
}

// busy says whether a turn is under way.
func (t *talk) busy() bool {
	s := t.session.Load()
	return s != nil && s.Busy()
}

// settle waits until nothing is under way in the chat.
func (t *talk) settle(ctx context.Context) error {
	if s := t.session.Load(); s != nil {
		return s.Settle(ctx)
	}
	return nil
}

func (t *talk) run(ctx context.Context) error {
	h := t.host
	cfg, log, err := h.start("off")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	h.out = &watchedWriter{out: h.out, failed: stop}
	own := &house{talk: t, cfg: cfg, log: log, stop: stop}
	view, act := t.open(cfg)
	defer watchSignals(stop, act)()
	client, err := t.find(ctx, own)
	if err != nil {
		return err
	}
	defer client.Close()
	s := attach.New(attach.Options{Client: client, View: view, Alone: t.alone, Files: t.files, House: own, Log: log})
	t.client.Store(client)
	t.session.Store(s)
	failed, err := s.Run(ctx)
	if errors.Is(err, terminal.ErrInterrupted) {
		stop(signalError{syscall.SIGINT})
		err = nil
	}
	return own.close(ctx, err, failed)
}

// startTime is how long another gateway may take to start or to end, beside the console.
const startTime = 20 * time.Second

// find attaches to the gateway that runs, or runs one.
func (t *talk) find(ctx context.Context, own *house) (*attach.Client, error) {
	pauses, until := backoff.New(50*time.Millisecond, time.Second), time.Now().Add(startTime)
	for {
		client, err := attach.Dial(ctx, own.cfg.StateDir, t.chat)
		switch {
		case err == nil:
			if t.introduce != nil {
				note(t.host, textAttached)
			}
			return client, nil
		case !errors.Is(err, admin.ErrNotRunning) && !errors.Is(err, fs.ErrPermission): // the folder's own error names the cure
			return nil, admin.WithCode(admin.CodeFailed, err)
		}
		if err = own.open(ctx); err == nil {
			if t.introduce != nil {
				t.introduce(ctx, own.app)
			}
			return own.client(ctx)
		}
		// Another one starts, and has its socket in a moment, or one is ending.
		e, ok := errors.AsType[*admin.ExitError](err)
		if !ok || e.Code != admin.CodeInUse || time.Now().After(until) || !backoff.Sleep(ctx, pauses.Next()) {
			return nil, err
		}
	}
}

// house is the gateway that a console runs itself: none at first where another one runs.
type house struct {
	talk *talk
	cfg  *config.Config
	log  zerolog.Logger
	stop context.CancelCauseFunc

	mu    sync.Mutex
	app   *gateway.App
	ended chan struct{}
	err   error // once ended is closed
}

var _ attach.House = (*house)(nil)

// Ended implements [attach.House].
func (o *house) Ended() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

// Open implements [attach.House].
func (o *house) Open(ctx context.Context) bool { return o.open(ctx) == nil }

// open runs a gateway, until ctx ends.
func (o *house) open(ctx context.Context) error {
	t := o.talk
	opt := gateway.Options{
		LookupEnv: t.host.lookupEnv, Log: o.log, Redactor: t.host.redactor, Console: t.introduce != nil, Passing: true, Grace: leaveGrace,
	}
	if t.trouble != nil {
		opt.Trouble = t.trouble(o.stop)
	}
	a, err := gateway.New(ctx, o.cfg, opt)
	if err != nil {
		return err
	}
	if err := a.Held(ctx); err != nil {
		return admin.WithCode(admin.CodeFailed, errors.Join(err, a.Close()))
	}
	ended := make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.app, o.ended = a, ended
	go func() {
		defer close(ended)
		o.err = a.Run(ctx, func(context.Context, string, error) bool { return false })
		o.stop(o.err)
	}()
	return nil
}

// client is a client of the gateway that this process runs.
func (o *house) client(ctx context.Context) (*attach.Client, error) {
	c, err := attach.Await(ctx, o.cfg.StateDir, o.talk.chat)
	if err != nil {
		return nil, o.close(ctx, err, false)
	}
	return c, nil
}

// close ends the gateway, if there is one, and turns the end of the console into an exit code.
func (o *house) close(ctx context.Context, err error, failed bool) error {
	if u, ok := errors.AsType[*attach.UnsentError](err); ok {
		err = u.Reason
	}
	ended := o.Ended()
	if ended == nil {
		return talkEnd(ctx, err, failed)
	}
	o.stop(err)
	<-ended
	return ending(ctx, o.app, o.err, failed)
}

// talkEnd turns the end of a console at another process's gateway into an exit code.
func talkEnd(ctx context.Context, err error, failed bool) error {
	received, bySignal := errors.AsType[signalError](context.Cause(ctx))
	switch {
	case bySignal && received.signal == syscall.SIGINT:
		return &admin.ExitError{Code: exitInterrupted, Silent: true, Err: received}
	case bySignal:
		return nil
	case err != nil:
		return admin.WithCode(admin.CodeFailed, err)
	case failed:
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errUnanswered}
	default:
		return nil
	}
}
