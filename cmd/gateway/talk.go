package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"syscall"

	"github.com/rs/zerolog"

	"parley/pkg/config"
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
	// open makes the console, and what says whether Ctrl-C means leaving.
	open func() (view attach.View, leaves func() bool)
	// trouble is told when the store of an own gateway cannot be written, and with nil when it can
	// again; nil where the console shows it.
	trouble func(stop context.CancelCauseFunc) func(error)
	// introduce says on screen which model answers.
	introduce func(ctx context.Context, a *gateway.App)

	view    attach.View
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
	view, leaves := t.open()
	t.view = view
	client, err := attach.Dial(ctx, cfg.StateDir, t.chat)
	switch {
	case errors.Is(err, admin.ErrNotRunning), errors.Is(err, fs.ErrPermission): // the folder's own error names the cure
		return t.own(ctx, stop, leaves, cfg, log)
	case err != nil:
		return admin.WithCode(admin.CodeFailed, err)
	}
	defer client.Close()
	defer watchSignals(stop, leaves, nil)()
	if t.introduce != nil {
		_, _ = fmt.Fprintln(h.err, textAttached) // a closed screen shows itself at the first answer
	}
	failed, err := t.attached(ctx, client, log, nil)
	return talkEnd(ctx, err, failed)
}

// attached runs the console at a gateway; ended is closed when that is one of this process and
// has ended.
func (t *talk) attached(
	ctx context.Context, client *attach.Client, log zerolog.Logger, ended <-chan struct{},
) (failed bool, err error) {
	s := attach.New(attach.Options{Client: client, View: t.view, Alone: t.alone, Files: t.files, Ended: ended, Log: log})
	t.session.Store(s)
	return s.Run(ctx)
}

// own runs a gateway for the console.
func (t *talk) own(
	ctx context.Context, stop context.CancelCauseFunc, leaves func() bool, cfg *config.Config, log zerolog.Logger,
) error {
	o := gateway.Options{
		LookupEnv: t.host.lookupEnv, Log: log, Redactor: t.host.redactor, Console: t.introduce != nil, Grace: leaveGrace,
	}
	if t.trouble != nil {
		o.Trouble = t.trouble(stop)
	}
	a, err := gateway.New(ctx, cfg, o)
	if err != nil {
		return err
	}
	if err := a.Held(ctx); err != nil {
		return admin.WithCode(admin.CodeFailed, errors.Join(err, a.Close()))
	}
	defer watchSignals(stop, leaves, nil)()
	if t.introduce != nil {
		t.introduce(ctx, a)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = a.Run(ctx, func(context.Context, string, error) bool { return false })
		stop(err)
	}()
	failed, talkErr := t.beside(ctx, cfg.StateDir, log, ended)
	stop(talkErr)
	<-ended
	return ending(ctx, a, err, failed)
}

// beside runs the console beside the gateway of this process.
func (t *talk) beside(
	ctx context.Context, stateDir string, log zerolog.Logger, ended <-chan struct{},
) (failed bool, err error) {
	client, err := attach.Await(ctx, stateDir, t.chat)
	if err != nil {
		return false, err
	}
	defer client.Close()
	return t.attached(ctx, client, log, ended)
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
