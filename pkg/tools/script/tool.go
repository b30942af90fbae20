package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/pkg/sandbox"
	"parley/pkg/text"
	"parley/pkg/tools"
	"parley/pkg/tools/internal/program"
)

// The limits of one run.
const (
	margin          = time.Second // lets the sandbox end a program before the registry gives the call up
	maxErrors       = 2 << 10     // how much of standard error is told
	maxProgress     = 1000        // progress lines of one call
	maxProgressLine = 200
	answerRoom      = 4 << 10 // the size of an answer beside its texts
)

// progressPrefix begins a line of standard error that tells how far the work is.
const progressPrefix = "progress:"

// Tool is one program of the operator's.
type Tool struct {
	manifest *Manifest
	dir      string
	options  Options
}

// Name implements [tools.Tool].
func (t *Tool) Name() string { return t.manifest.Name }

// Description implements [tools.Tool].
func (t *Tool) Description() string { return t.manifest.Description }

// Parameters implements [tools.Tool].
func (t *Tool) Parameters() map[string]any { return t.manifest.Parameters }

// Approval is the operator's rule for asking about this tool: destructive,
// side_effects, never, or empty if tool.yaml has no rule.
func (t *Tool) Approval() string { return t.manifest.Approval }

// Annotations implements [tools.Annotated].
func (t *Tool) Annotations() tools.Annotations {
	m := t.manifest
	return tools.Annotations{
		ReadOnly: m.ReadOnly, Destructive: m.Destructive, Idempotent: m.Idempotent, OpenWorld: m.OpenWorld,
		Level: m.Level, Timeout: t.timeout() + margin, MaxOutput: t.options.MaxOutput,
	}
}

func (t *Tool) timeout() time.Duration {
	if t.manifest.Timeout > 0 {
		return t.manifest.Timeout
	}
	return min(t.options.Timeout, t.options.MaxTimeout)
}

// Examine implements [tools.Examiner]: an approved call runs only while the program is the same.
func (t *Tool) Examine(ctx context.Context, _ map[string]any) (tools.Examination, error) {
	info, fail := t.look(ctx)
	if fail != nil {
		return tools.Examination{}, fail
	}
	return tools.Examination{
		Destructive: t.manifest.Destructive, Brings: t.outside(tools.InvocationFrom(ctx).Space).Holds,
		State: fmt.Sprintf("%d %d %v %s", info.Size(), info.ModTime().UnixNano(), info.Mode(), tools.InvocationFrom(ctx).Space),
	}, nil
}

// TakesExact implements [tools.ExactTool]: the program reads JSON with the numbers as
// they were written.
func (*Tool) TakesExact(map[string]any) error { return nil }

// outside is the folder of received files that the program could read.
func (t *Tool) outside(space string) program.Outside {
	root, err := os.OpenRoot(space)
	if err != nil {
		return program.Outside{Holds: !errors.Is(err, fs.ErrNotExist)}
	}
	defer root.Close()
	return program.LookOutside(root, t.options.Outside)
}

// look checks for changes since the start.
func (t *Tool) look(ctx context.Context) (fs.FileInfo, *tools.Error) {
	if tools.InvocationFrom(ctx).Space == "" {
		return nil, tools.Fail(tools.ErrPermissionDenied, "this chat has no folder to run a program in", nil)
	}
	if err := t.options.Runner.Available(); err != nil {
		return nil, tools.Fail(tools.ErrDisabled, err.Error(), nil).Because(err)
	}
	root, err := openFolder(t.dir)
	if err != nil {
		return nil, refused(err)
	}
	defer root.Close()
	info, err := inspectCommand(root, t.manifest.Command)
	if err != nil {
		return nil, refused(err)
	}
	return info, nil
}

func refused(err error) *tools.Error {
	return tools.Fail(tools.ErrSecurityViolation, "the tool's program is not run: "+err.Error(), nil).Because(err)
}

// Execute implements [tools.Tool].
func (t *Tool) Execute(ctx context.Context, args map[string]any) *tools.ToolResult {
	if _, fail := t.look(ctx); fail != nil {
		return fail.Result()
	}
	inv := tools.InvocationFrom(ctx)
	if t.options.Prepare != nil {
		if err := t.options.Prepare(inv.Space); err != nil {
			return tools.Fail(tools.ErrExecutionFailed, "the chat's folder cannot be made", nil).Because(err).Result()
		}
	}
	input, err := encode(args)
	if err != nil {
		return tools.Fail(tools.ErrInvalidArguments, "the arguments cannot be written as JSON", nil).Because(err).Result()
	}
	watch, outside := &watcher{ctx: ctx}, t.outside(inv.Space)
	res, err := t.options.Runner.Run(ctx, sandbox.Command{
		Owner: inv.Owner(), Waits: func() func() { return tools.Waiting(ctx) },
		Path: filepath.Join(t.dir, t.manifest.Command), Dir: inv.Space,
		Workspace: inv.Space, Writable: !t.manifest.ReadOnly, Readable: []string{t.dir},
		Env: environment(t, inv, args), Stdin: bytes.NewReader(input), Network: t.manifest.Network,
		Timeout: t.timeout(), MaxOutput: 2 * (2*t.options.MaxOutput + answerRoom), Line: watch.line,
	})
	outside.Brought(ctx, inv.Space, t.options.Outside)
	if err != nil {
		if ctx.Err() != nil { // the cause of the end gives the reason
			return tools.ErrorResult(err.Error()).WithError(err)
		}
		if errors.Is(err, sandbox.ErrBusy) {
			return tools.Fail(tools.ErrBusy, err.Error(), nil).Because(err).Result()
		}
		return tools.Fail(tools.ErrExecutionFailed, "the tool's program could not be run: "+oneLine(err.Error()), nil).Because(err).Result()
	}
	return t.result(res)
}

// encode writes the arguments on one line.
func encode(args map[string]any) ([]byte, error) {
	if args == nil {
		args = map[string]any{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(args)
	return b.Bytes(), err
}

// watcher passes progress lines on.
type watcher struct {
	ctx  context.Context //nolint:containedctx // it lives as long as the call with this context
	told int
}

func (w *watcher) line(line string) {
	rest, ok := strings.CutPrefix(line, progressPrefix)
	if !ok || w.told >= maxProgress {
		return
	}
	if rest = text.ClipBytes(visible(strings.TrimSpace(strings.ToValidUTF8(rest, "\uFFFD"))), maxProgressLine); rest != "" {
		w.told++
		tools.Progress(w.ctx, rest)
	}
}
