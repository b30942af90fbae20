package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"parley/pkg/config"
	"parley/pkg/gateway"
	"parley/pkg/gateway/admin"
	"parley/pkg/policy"
)

// The exit codes beside those of package admin; docs/operating.md explains them.
const (
	exitInterrupted = 130
	exitSignal      = 128
)

// host is the process's surroundings.
type host struct {
	args     []string
	in       *os.File
	out, err io.Writer
	// stdout is standard output itself.
	stdout    io.Writer
	lookupEnv func(string) (string, bool)
	environ   func() []string
	// home is "" where HOME is not set.
	home string
	// configPath and logLevel are the global flags.
	configPath, logLevel string
	// logFile takes the log of a gateway whose console has the screen; nil is standard error.
	logFile io.Writer
	// plain asks for a console of lines; talks says that a console has the screen.
	plain, talks bool
	// began says that the command line was understood.
	began bool
	// redactor takes the secrets out of errors: those of the environment, and those of
	// the configuration once it is read.
	redactor *policy.Redactor
}

func newHost(args []string) *host {
	home, _ := os.UserHomeDir() // load names the cure for its absence
	h := &host{
		args: args, in: os.Stdin, out: os.Stdout, err: os.Stderr, stdout: os.Stdout, lookupEnv: os.LookupEnv, environ: os.Environ, home: home,
	}
	h.redactor = h.newRedactor(nil)
	return h
}

// terminal says whether a person sits at standard input.
func (h *host) terminal() bool { return term.IsTerminal(int(h.in.Fd())) }

// configFile is the configuration: the file that --config names, or the one at home.
func (h *host) configFile() string {
	if h.configPath != "" {
		return h.configPath
	}
	return filepath.Join(h.home, ".parley", "parley.yaml")
}

// load reads the configuration. Without --config and without a file it is the default.
func (h *host) load(withoutSecrets bool) (*config.Config, error) {
	if h.home == "" && h.configPath == "" {
		return nil, errNoHome()
	}
	o := gateway.ConfigOptions(h.lookupEnv)
	o.Home, o.WithoutSecrets = h.home, withoutSecrets
	cfg, err := config.Load(h.configFile(), o)
	if errors.Is(err, os.ErrNotExist) {
		if h.configPath == "" {
			return config.Default(h.home), nil
		}
		return nil, admin.WithCode(admin.CodeUsage, fmt.Errorf(textNoConfig,
			h.configPath, admin.Program(), h.configPath))
	}
	if err != nil {
		return nil, admin.WithCode(admin.CodeUsage, err)
	}
	return cfg, nil
}

// errNoHome is for a process that was started without HOME, which would put its
// state where it happens to stand.
func errNoHome() error {
	return admin.WithCode(admin.CodeUsage, errors.New("HOME is not set, so there is no place for the state: set HOME, or name with "+
		"--config a configuration that sets state_dir"))
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, h *host) int {
	// A reader that went away is an error of a write, not our end. Unlike an ignored
	// signal, one that is caught is not inherited by the programs of tools.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	root := newRoot(h) //nolint:contextcheck // cobra hands ctx to the commands
	root.SetArgs(h.args)
	root.SetIn(h.in)
	root.SetOut(h.out)
	root.SetErr(h.err)
	root.PersistentPreRun = func(*cobra.Command, []string) { h.began = true }
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	e, ok := errors.AsType[*admin.ExitError](err)
	switch {
	case ok:
	case h.began:
		e = &admin.ExitError{Code: admin.CodeFailed, Err: err}
	case cmd.HasSubCommands():
		e = &admin.ExitError{Code: admin.CodeUsage, Err: fmt.Errorf(textSeeHelp, err, cmd.CommandPath())}
	default:
		e = &admin.ExitError{Code: admin.CodeUsage, Err: fmt.Errorf(textSeeUsage, err, cmd.UseLine())}
	}
	if !e.Silent {
		_, _ = fmt.Fprintln(plain{h.err}, admin.Program()+": "+h.redactor.Redact(strings.TrimSpace(admin.WithHint(e).Error())))
	}
	return e.Code
}
