package code

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/pkg/sandbox"
	"parley/pkg/tools"
	"parley/pkg/tools/internal/program"
)

// maxCode bounds the code, in bytes.
const maxCode = 32 << 10

// Options are the settings of the tool.
type Options struct {
	// Runner runs the code.
	Runner sandbox.Runner
	// Prepare is called with a chat's space before code runs there; nil is skipped.
	Prepare func(space string) error
	// Python and JavaScript are the absolute paths of the interpreters; empty looks
	// for them in the system's folders.
	Python, JavaScript string
	// Timeout ends code where the call names no time; 0 means 30 s. MaxTimeout is the
	// longest that a call may name; 0 means 5 minutes.
	Timeout, MaxTimeout time.Duration
	// Network gives code the network.
	Network bool
	// Readable are absolute paths that code may read beside the system's and the workspace.
	Readable []string
	// Outside is the folder of a space for received files: while it contains any, the
	// code's output counts as from outside. "" disables this.
	Outside string
}

type arguments struct {
	Language string `json:"language" jsonschema:"python or javascript"`
	Code     string `json:"code" jsonschema:"the program; its output is the result"`
	TimeoutS int    `json:"timeout_s,omitempty" jsonschema:"seconds after which it is ended"`
}

// language is one that is installed.
type language struct {
	path string
	args []string // that make it read the code from its input alone
	// modules is the folder with the modules that code can load, if it exists.
	modules string
}

type runner struct {
	settings  program.Settings
	languages map[string]language
}

// New makes run_code. Without any interpreter it refuses every call.
func New(o Options) tools.Tool {
	r := &runner{languages: languages(o), settings: program.Settings{
		Runner: o.Runner, Prepare: o.Prepare, Timeout: o.Timeout, MaxTimeout: o.MaxTimeout,
		Network: o.Network, Readable: o.Readable, Outside: o.Outside,
	}.WithDefaults()}
	about := "Run code in the workspace and give its output as JSON {exit_code, stdout, stderr, duration_ms, truncated}. Languages: " +
		strings.Join(r.names(), ", ") + "."
	return tools.NewExamined("run_code", about, r.settings.Annotations(), r.examine, r.execute)
}

// languages are those that are installed.
func languages(o Options) map[string]language {
	found := map[string]language{}
	for name, l := range map[string]struct {
		set, program string
		args         []string
		modules      string
	}{
		"python":     {o.Python, "python3", []string{"-I", "-B", "-"}, ""},
		"javascript": {o.JavaScript, "node", []string{"-"}, "node_modules"},
	} {
		candidates := []string{l.set}
		if l.set == "" {
			candidates = []string{"/usr/local/bin/" + l.program, "/usr/bin/" + l.program, "/bin/" + l.program}
		}
		for _, c := range candidates {
			const executable = 0o111
			if info, err := os.Stat(c); err == nil && info.Mode().IsRegular() && info.Mode()&executable != 0 {
				found[name] = language{path: filepath.Clean(c), args: l.args, modules: l.modules}
				break
			}
		}
	}
	return found
}

func (r *runner) names() []string { return slices.Sorted(maps.Keys(r.languages)) }

// plan is a checked call, ready to run.
type plan struct {
	folder  *program.Folder
	command sandbox.Command
	seen    tools.Examination
}

func (r *runner) examine(ctx context.Context, in arguments) (tools.Examination, error) {
	p, err := r.plan(ctx, in)
	if err != nil {
		return tools.Examination{}, err
	}
	return p.seen, p.folder.Root.Close()
}

func (r *runner) execute(ctx context.Context, in arguments) (any, error) {
	p, err := r.plan(ctx, in)
	if err != nil {
		return nil, err
	}
	defer p.folder.Root.Close()
	return r.settings.Run(ctx, p.folder, p.command)
}

// plan checks a call and returns the program that it would run.
func (r *runner) plan(ctx context.Context, in arguments) (*plan, error) {
	l, ok := r.languages[in.Language]
	switch {
	case !ok:
		return nil, tools.Fail(tools.ErrInvalidArguments, "there is no interpreter for this language", map[string]any{"languages": r.names()})
	case strings.TrimSpace(in.Code) == "":
		return nil, tools.Fail(tools.ErrInvalidArguments, "there is no code", nil)
	case len(in.Code) > maxCode:
		return nil, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("the code has %d bytes, more than %d", len(in.Code), maxCode), nil)
	case strings.ContainsRune(in.Code, 0):
		return nil, tools.Fail(tools.ErrSecurityViolation, "code cannot contain a NUL byte", nil)
	}
	limit, err := r.settings.Time(in.TimeoutS)
	if err != nil {
		return nil, err
	}
	mark, err := program.Fingerprint(l.path)
	if err != nil {
		return nil, tools.Fail(tools.ErrExecutionFailed, "the interpreter is not there any more", nil).Because(err)
	}
	folder, err := r.settings.Folder(ctx, "")
	if err != nil {
		return nil, err
	}
	bounds := fmt.Sprintf("\nfor at most: %v", limit)
	if r.settings.Network {
		bounds += "\nwith the network"
	}
	if _, err := folder.Root.Lstat(l.modules); l.modules != "" && err == nil {
		bounds += "\nwith the modules of its folder " + l.modules
	}
	text, kept := folder.Question(fmt.Sprintf("run as %s with %s:\n%s\n", in.Language, program.Quote(l.path), program.Block(in.Code)), bounds)
	return &plan{
		folder:  folder,
		command: sandbox.Command{Path: l.path, Args: l.args, Timeout: limit, Stdin: strings.NewReader(in.Code)},
		seen: tools.Examination{
			Destructive: true,
			Always:      true,
			Action:      "run code in",
			Object:      in.Language,
			Text:        text,
			State:       program.State(kept, folder.State, mark),
			Brings:      folder.Outside.Holds,
		},
	}, nil
}
