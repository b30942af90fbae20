package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"parley/pkg/channels/console"
	"parley/pkg/config"
	terminal "parley/pkg/console"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/attach"
	"parley/pkg/gateway/footprint"
)

// leaveGrace is how long a turn may go on when the person leaves the console:
// it is taken up again at the next start.
const leaveGrace = 2 * time.Second

func newRun(h *host) *cobra.Command {
	c := &cobra.Command{
		Use: "run", Short: textRun, Args: cobra.NoArgs,
		Long: textRunLong,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.run(cmd.Context()) },
	}
	addPlain(c, &h.plain)
	return c
}

// start reads the configuration and makes the log and the redactor of a gateway.
func (h *host) start(level string) (*config.Config, zerolog.Logger, error) {
	if _, set := h.lookupEnv("GOGC"); !set {
		footprint.Tune()
	}
	cfg, err := h.load(false)
	if err != nil {
		return nil, zerolog.Nop(), err
	}
	h.redactor = h.newRedactor(cfg)
	if (level == "" && ownsScreen(h, cfg) || h.talks) && isScreen(h.err) {
		h.logFile = gateway.LogFile(cfg)
	}
	log, err := h.logger(cfg, level)
	return cfg, log, err
}

// ownsScreen says that run has a console on this terminal.
func ownsScreen(h *host, cfg *config.Config) bool {
	return h.terminal() && cfg.Channels.Console.Enabled
}

// introduce says on screen which model answers.
func (h *host) introduce(ctx context.Context, a *gateway.App) {
	note(h, h.redactor.Redact(a.Introduction(ctx, h.configFile())))
}

// note writes a note beside the conversation, on a screen without parting words. A closed screen
// shows itself at the first answer.
func note(h *host, text string) {
	if out, ok := h.err.(*os.File); ok && isScreen(out) {
		text = terminal.Fold(out, text)
		if _, draws := drawable(h); draws {
			_, _ = out.WriteString(terminal.FreshRow)
		}
	}
	_, _ = fmt.Fprintln(plain{h.err}, text)
}

// watchedWriter tells when the reader is gone: answers would wait for ever.
type watchedWriter struct {
	out    io.Writer
	failed func(error)
}

// Write implements [io.Writer].
func (w *watchedWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	if err != nil {
		w.failed(fmt.Errorf("%w: %w", console.ErrOutput, err))
	}
	return n, err
}

// errUnanswered says that a message of a piped chat has no answer.
var errUnanswered = errors.New(textUnanswered)

// ending closes the store and turns the result into an exit code.
func ending(ctx context.Context, a *gateway.App, err error, failed bool) error {
	cause := context.Cause(ctx)
	received, bySignal := errors.AsType[signalError](cause)
	switch {
	case errors.Is(err, gateway.ErrStopLimit):
		return admin.WithCode(admin.CodeFailed, err) // something still uses the store
	case err == nil && !bySignal && !errors.Is(cause, context.Canceled):
		err = cause
	}
	if err = errors.Join(err, a.Close()); err != nil {
		code := admin.CodeFailed
		if e, ok := errors.AsType[*admin.ExitError](err); ok {
			code = e.Code
		}
		return admin.WithCode(code, err)
	}
	switch {
	case bySignal && received.signal == syscall.SIGINT:
		return &admin.ExitError{Code: exitInterrupted, Silent: true, Err: received}
	case failed && !bySignal:
		return &admin.ExitError{Code: admin.CodeFailed, Silent: true, Err: errUnanswered} // the screen has said why
	default:
		return nil
	}
}

func (h *host) run(ctx context.Context) error {
	cfg, log, err := h.start("")
	if err != nil {
		return err
	}
	own := ownsScreen(h, cfg)
	a, err := gateway.New(ctx, cfg, gateway.Options{LookupEnv: h.lookupEnv, Log: log, Redactor: h.redactor, Console: own})
	if err != nil {
		return err
	}
	if a.Channels() == 0 && cfg.HTTP.Listen == "" && !cfg.Channels.Console.Enabled {
		return admin.WithCode(admin.CodeUsage, errors.Join(errors.New(textNoChannel), a.Close()))
	}
	if h.terminal() {
		h.introduce(ctx, a)
		if h.logFile != nil {
			note(h, fmt.Sprintf(textLogAt, gateway.LogPath(cfg)))
		}
	} else {
		log.Info().Msg(a.Introduction(ctx, h.configFile()))
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	act, talking := leaves(), func() {}
	if own {
		act, talking = h.ownConsole(ctx, stop, a, cfg, log)
	}
	act.hangup = func() {
		log.Warn().Msg("SIGHUP changes nothing: the configuration is read at the start only, so restart the gateway to apply a change")
	}
	defer talking()
	defer watchSignals(stop, act)()
	left := make(chan struct{}, a.Channels())
	err = a.Run(ctx, func(_ context.Context, channel string, err error) bool {
		log.Err(err).Str("channel", channel).Msg("a channel ended")
		left <- struct{}{}
		return len(left) == cap(left)
	})
	err = ending(ctx, a, err, false)
	if e, ok := errors.AsType[*admin.ExitError](err); ok && e.Code == exitInterrupted {
		return nil // a stop that was asked for
	}
	return err
}

// ownConsole attaches the terminal to the gateway of this process. When the person leaves, a
// gateway without other channels ends. Wait waits for the end of the console.
func (h *host) ownConsole(
	ctx context.Context, stop context.CancelCauseFunc, a *gateway.App, cfg *config.Config, log zerolog.Logger,
) (act signals, wait func()) {
	t := &talk{host: h, chat: homeChat}
	view, act := t.terminalView(cfg)
	var talking sync.WaitGroup
	talking.Go(func() {
		client, err := attach.Await(ctx, cfg.StateDir, homeChat)
		if err != nil {
			return // the gateway ended before it began
		}
		defer client.Close()
		s := attach.New(attach.Options{Client: client, View: view, Log: log})
		t.client.Store(client)
		t.session.Store(s)
		_, err = s.Run(ctx)
		if errors.Is(err, terminal.ErrInterrupted) {
			err = signalError{syscall.SIGINT}
		}
		log.Err(err).Msg("the console of this terminal ended")
		if a.Channels() == 0 {
			stop(err)
		}
	})
	return act, talking.Wait
}

// signalError is the cause that a signal ends the gateway with.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "ended by " + e.signal.String() }

// signals say what signals do to a console.
type signals struct {
	// interrupt says whether SIGINT means leaving, hangup is told of SIGHUP; nil leaves then too.
	interrupt func() bool
	hangup    func()
	// restore gives the terminal back before the process ends at once; nil for none.
	restore func()
}

// watchSignals stops the gateway on SIGTERM, and on SIGINT when that means leaving. A signal that
// comes while the gateway stops ends the process at once. The returned function ends the watch.
func watchSignals(stop context.CancelCauseFunc, act signals) func() {
	received := make(chan os.Signal, 4)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		stopping := false
		for {
			select {
			case <-done:
				return
			case s := <-received:
				number, _ := s.(syscall.Signal)
				switch {
				case number == syscall.SIGHUP && act.hangup != nil:
					act.hangup()
					continue
				case stopping:
					if act.restore != nil {
						act.restore()
					}
					os.Exit(exitSignal + int(number))
				case number == syscall.SIGINT && !act.interrupt():
					continue
				}
				stopping = true
				stop(signalError{number})
			}
		}
	}()
	return func() { signal.Stop(received); close(done); <-ended }
}
