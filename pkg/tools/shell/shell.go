package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/internal/program"
)

// maxCommand bounds a command as the model writes it, in bytes.
const maxCommand = 8 << 10

const shellPath = "/bin/sh"

// Options are the settings of the tool.
type Options struct {
	// Runner runs the commands.
	Runner sandbox.Runner
	// Prepare is called with a chat's space before a command runs there; nil is skipped.
	Prepare func(space string) error
	// Allow are the programs that may be run: names, looked for in the system's
	// folders, or absolute paths.
	Allow []string
	// Shell also takes scripts for the shell, which ignore Allow.
	Shell bool
	// Timeout ends a command where the call names no time; 0 means 30 s. MaxTimeout
	// is the longest that a call may name; 0 means 5 minutes.
	Timeout, MaxTimeout time.Duration
	// Background runs background commands; nil: Runner does. BackgroundLimit is the
	// longest that a command may run there, and the default; 0 means an hour.
	Background      sandbox.Runner
	BackgroundLimit time.Duration
	// Network gives commands the network.
	Network bool
	// Readable are absolute paths that commands may read beside the system's and the workspace.
	Readable []string
	// Outside is the folder of a space for received files: while it contains any, a
	// command's output counts as from outside. "" disables this.
	Outside string
}

// arguments are those of a call without a shell.
type arguments struct {
	Argv       []string `json:"argv" jsonschema:"the program and its arguments, one element each; no shell reads them"`
	Cwd        string   `json:"cwd,omitempty" jsonschema:"folder of the workspace to run in; default: the workspace itself"`
	TimeoutS   int      `json:"timeout_s,omitempty" jsonschema:"seconds after which it is ended"`
	Literal    bool     `json:"literal,omitempty" jsonschema:"true: *, ? and [ in arguments are no file name patterns"`
	Background bool     `json:"background,omitempty" jsonschema:"true: answer at once and tell the result when it has ended; for work that takes longer than a person waits"`
}

// shellArguments are those of a call with a shell.
type shellArguments struct {
	Argv       []string `json:"argv,omitempty" jsonschema:"the program and its arguments, one element each; no shell reads them"`
	Script     string   `json:"script,omitempty" jsonschema:"instead of argv: a script for /bin/sh"`
	Cwd        string   `json:"cwd,omitempty" jsonschema:"folder of the workspace to run in; default: the workspace itself"`
	TimeoutS   int      `json:"timeout_s,omitempty" jsonschema:"seconds after which it is ended"`
	Literal    bool     `json:"literal,omitempty" jsonschema:"true: *, ? and [ in arguments are no file name patterns"`
	Background bool     `json:"background,omitempty" jsonschema:"true: answer at once and tell the result when it has ended; for work that takes longer than a person waits"`
}

// shell is the tool's state, which does not change.
type shell struct {
	o        Options
	settings program.Settings
	// background are the settings of background commands.
	background program.Settings
	allowed    []allowed
}

// allowed is a program as it was found at the start.
type allowed struct {
	written string // in the configuration
	path    string
	real    string // without symbolic links
}

// New makes run_command. It also returns the programs of the list that are missing.
func New(o Options) (tool tools.Tool, missing []string) {
	s := &shell{o: o, settings: program.Settings{
		Runner: o.Runner, Prepare: o.Prepare, Timeout: o.Timeout, MaxTimeout: o.MaxTimeout,
		BackgroundLimit: o.BackgroundLimit, Network: o.Network, Readable: o.Readable, Outside: o.Outside,
	}.WithDefaults()}
	s.background = s.settings
	if o.Background != nil {
		s.background.Runner = o.Background
	}
	for _, written := range o.Allow {
		a, err := find(written)
		if err != nil {
			missing = append(missing, written)
			continue
		}
		s.allowed = append(s.allowed, a)
	}
	const name = "run_command"
	about := "Run a program in the workspace and give its output as JSON {exit_code, stdout, stderr, duration_ms, truncated}. "
	if o.Shell {
		return tools.NewAsync(name, about+"Either argv or script.", s.settings.BackgroundAnnotations(), s.examine, s.execute), missing
	}
	about += "It sees the workspace and the system's programs. "
	if names := s.names(); len(names) > 0 {
		about += "Allowed: " + strings.Join(names, ", ") + "."
	} else {
		about += "No program is allowed: name some under tools.shell.allow."
	}
	return tools.NewAsync(name, about, s.settings.BackgroundAnnotations(),
		func(ctx context.Context, in arguments) (tools.Examination, error) { return s.examine(ctx, in.whole()) },
		func(ctx context.Context, in arguments, callback tools.AsyncCallback) (any, error) {
			return s.execute(ctx, in.whole(), callback)
		}), missing
}

func (in arguments) whole() shellArguments {
	return shellArguments{Argv: in.Argv, Cwd: in.Cwd, TimeoutS: in.TimeoutS, Literal: in.Literal, Background: in.Background}
}

// find looks for a program of the list.
func find(written string) (allowed, error) {
	candidates := []string{written}
	if !filepath.IsAbs(written) {
		candidates = nil
		for dir := range strings.SplitSeq("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ":") {
			candidates = append(candidates, filepath.Join(dir, written))
		}
	}
	for _, c := range candidates {
		resolved, err := filepath.EvalSymlinks(c)
		if err != nil {
			continue
		}
		const executable = 0o111
		if info, err := os.Stat(resolved); err == nil && info.Mode().IsRegular() && info.Mode()&executable != 0 {
			return allowed{written: written, path: filepath.Clean(c), real: resolved}, nil
		}
	}
	return allowed{}, os.ErrNotExist
}

func (s *shell) names() []string {
	names := make([]string, len(s.allowed))
	for i, a := range s.allowed {
		names[i] = a.written
	}
	return names
}

// plan is a checked call, ready to run.
type plan struct {
	folder  *program.Folder
	command sandbox.Command
	always  string // why somebody is asked whatever is set
	action  string // "run", or "run a script with" a shell
	object  string // the program with its arguments, or the shell
	text    string
	state   string
}

func (s *shell) examine(ctx context.Context, in shellArguments) (tools.Examination, error) {
	p, err := s.plan(ctx, in)
	if err != nil {
		return tools.Examination{}, err
	}
	defer p.folder.Root.Close()
	return tools.Examination{
		Destructive: true,
		Always:      p.always != "",
		Action:      p.action,
		Object:      p.object,
		Text:        p.text,
		State:       p.state,
		Foreground:  !in.Background,
		Brings:      p.folder.Outside.Holds,
	}, nil
}

func (s *shell) execute(ctx context.Context, in shellArguments, callback tools.AsyncCallback) (any, error) {
	p, err := s.plan(ctx, in)
	if err != nil {
		return nil, err
	}
	defer p.folder.Root.Close()
	if !in.Background {
		return s.settings.Run(ctx, p.folder, p.command)
	}
	folder, command := p.folder, p.command
	return tools.Background(ctx, callback, "It runs in the background, for at most "+p.command.Timeout.String()+
		"; its result will be told in this conversation.", func(ctx context.Context) *tools.ToolResult {
		command.Watch = func(line string) { tools.Progress(ctx, line) }
		v, err := s.background.RunBehind(ctx, folder, command)
		return tools.ResultOf(ctx, v, err)
	}), nil
}

// plan checks a call and returns the program that it would run.
func (s *shell) plan(ctx context.Context, in shellArguments) (*plan, error) {
	if err := s.shape(in); err != nil {
		return nil, err
	}
	times := s.settings.Time
	if in.Background {
		times = s.background.BackgroundTime
	}
	limit, err := times(in.TimeoutS)
	if err != nil {
		return nil, err
	}
	what := allowed{path: shellPath, real: shellPath}
	if in.Script == "" {
		if what, err = s.lookUp(in.Argv[0]); err != nil {
			return nil, err
		}
	}
	p := &plan{command: sandbox.Command{Path: what.path, Timeout: limit}}
	if p.folder, err = s.settings.Folder(ctx, in.Cwd); err != nil {
		return nil, err
	}
	if err := s.fill(p, what, in); err != nil {
		_ = p.folder.Root.Close()
		return nil, err
	}
	return p, nil
}

// fill completes a plan with an open folder.
func (s *shell) fill(p *plan, what allowed, in shellArguments) error {
	mark, err := program.Fingerprint(what.path)
	if err != nil {
		return tools.Fail(tools.ErrExecutionFailed, "the program "+what.path+" is not there any more", nil)
	}
	var b strings.Builder
	if in.Script != "" {
		p.command.Args = []string{"-c", in.Script}
		p.always = "a shell runs it"
		p.action, p.object = "run a script with", shellPath
		fmt.Fprintf(&b, "run with %s:\n%s\n", shellPath, program.Block(in.Script))
	} else {
		if p.command.Args, err = expanded(p.folder, in); err != nil {
			return err
		}
		p.always = dangerous([]string{what.written, what.path, what.real, in.Argv[0]}, p.command.Args)
		p.action, p.object = "run", program.Line(what.written, p.command.Args)
		fmt.Fprintf(&b, "run: %s\n", program.Line(what.path, p.command.Args))
	}
	text, kept := p.folder.Question(b.String(), s.bounds(p, in))
	p.text = text
	p.state = program.State(kept, p.folder.State, mark)
	return nil
}

// bounds returns the time and the limits of a command.
func (s *shell) bounds(p *plan, in shellArguments) string {
	text := fmt.Sprintf("\nfor at most: %v", p.command.Timeout)
	if in.Background {
		text += ", in the background"
	}
	if s.o.Network {
		text += "\nwith the network"
	}
	return text
}

// expanded are the arguments that the program gets.
func expanded(f *program.Folder, in shellArguments) ([]string, error) {
	if in.Literal {
		return in.Argv[1:], nil
	}
	return expand(f.Root, in.Argv[1:])
}

// shape refuses a call that can be no command, whatever is allowed.
func (s *shell) shape(in shellArguments) error {
	size := len(in.Script)
	for _, arg := range in.Argv {
		size += len(arg) + 1
	}
	switch {
	case in.Script != "" && len(in.Argv) > 0:
		return tools.Fail(tools.ErrInvalidArguments, "give either argv or script, not both", nil)
	case in.Script != "" && !s.o.Shell:
		return tools.Fail(tools.ErrPermissionDenied, "scripts for the shell are not allowed here; give argv", nil)
	case in.Script == "" && (len(in.Argv) == 0 || in.Argv[0] == ""):
		return tools.Fail(tools.ErrInvalidArguments, "argv must begin with the program", nil)
	case size > maxCommand:
		return tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("the command has %d bytes, more than %d", size, maxCommand), nil)
	case slices.ContainsFunc(append(in.Argv, in.Script), func(a string) bool { return strings.ContainsRune(a, 0) }):
		return tools.Fail(tools.ErrSecurityViolation, "a command cannot contain a NUL byte", nil)
	}
	return nil
}

// lookUp finds the allowed program that a call names.
func (s *shell) lookUp(name string) (allowed, error) {
	hostile := func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }
	switch {
	case strings.IndexFunc(name, hostile) >= 0:
		return allowed{}, tools.Fail(tools.ErrSecurityViolation,
			"a program's name has no spaces and nothing invisible; give each argument as an element of argv", nil)
	case strings.ContainsRune(name, '/') && (!filepath.IsAbs(name) || filepath.Clean(name) != name):
		return allowed{}, tools.Fail(tools.ErrSecurityViolation,
			"a program is named by its name or its absolute path; files of the workspace are not run", nil)
	}
	for _, a := range s.allowed {
		if name == a.written || name == a.path || name == a.real || name == filepath.Base(a.path) {
			if now, err := filepath.EvalSymlinks(a.path); err != nil || now != a.real {
				return allowed{}, tools.Fail(tools.ErrSecurityViolation, "the program "+a.path+" is another one than when the gateway started", nil)
			}
			return a, nil
		}
	}
	return allowed{}, tools.Fail(tools.ErrPermissionDenied,
		"the program "+program.Quote(name)+" is not allowed here", map[string]any{"allowed": s.names()})
}
