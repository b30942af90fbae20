package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"parley/pkg/openat"
	"parley/pkg/sandbox"
	"parley/pkg/tools"
)

const (
	// MaxOutput is how many bytes are kept of each output of a program.
	MaxOutput = 16 << 10
	// MaxResult bounds the result: JSON may write six bytes for one.
	MaxResult = 256 << 10

	maxPathBytes = 4096
)

// Settings hold for all programs of a tool.
type Settings struct {
	// Runner runs them.
	Runner sandbox.Runner
	// Prepare is called with a chat's space before it is used; nil is skipped.
	Prepare func(space string) error
	// Timeout ends a program where the call names no time; 0 means 30 s.
	Timeout time.Duration
	// MaxTimeout is the longest time that a call may name; 0 means 5 minutes.
	MaxTimeout time.Duration
	// BackgroundLimit is the longest that a program may run in the background, and the
	// default; 0 means an hour.
	BackgroundLimit time.Duration
	// Network gives programs the network.
	Network bool
	// Readable are absolute paths that they may read beside the system's.
	Readable []string
	// Outside is the folder of a space for received files; "" disables this.
	Outside string
}

// WithDefaults fills in the times.
func (s Settings) WithDefaults() Settings {
	if s.MaxTimeout <= 0 {
		s.MaxTimeout = 5 * time.Minute
	}
	if s.Timeout <= 0 {
		s.Timeout = min(30*time.Second, s.MaxTimeout)
	}
	if s.BackgroundLimit <= 0 {
		s.BackgroundLimit = time.Hour
	}
	return s
}

const (
	// It lets the sandbox end a program before the registry gives the call up.
	margin = 10 * time.Second
	// How long a program that is to run in the background waits for its
	// place: the deadline of its task stands, so the wait must fit beside its time.
	patience = time.Minute
)

// Outside is the state of a space's folder of received files at a moment.
type Outside struct {
	// Holds says that it has files, which a program in the space may read: the program's
	// output then counts as theirs. An unreadable folder counts as having some.
	Holds bool
	mark  string // another one when a file has come or gone
}

// LookOutside reads such a folder; "" means that there is no such folder.
func LookOutside(space *os.Root, folder string) Outside {
	if folder == "" {
		return Outside{}
	}
	f, info, err := openat.LinkedFolder(space, folder)
	if err != nil {
		return Outside{Holds: !errors.Is(err, fs.ErrNotExist)}
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return Outside{Holds: !errors.Is(err, io.EOF), mark: inode(info) + " " + info.ModTime().String()}
}

// Brought notes in a call, after the end of its program, that its output may be
// untrusted: files lie in the folder, or one was there while the program ran.
func (o Outside) Brought(ctx context.Context, space, folder string) {
	root, err := os.OpenRoot(space)
	if err != nil {
		tools.BringsOutside(ctx)
		return
	}
	defer root.Close()
	if now := LookOutside(root, folder); now.Holds || now.mark != o.mark {
		tools.BringsOutside(ctx)
	}
}

// BackgroundAnnotations are [Settings.Annotations] of a tool that can run them in the background.
func (s Settings) BackgroundAnnotations() tools.Annotations {
	an := s.Annotations()
	an.BackgroundLimit = s.BackgroundLimit + patience + margin
	return an
}

// Annotations are those of a tool that runs programs. Two calls of one answer run
// side by side if no person is asked about them: a deleting call always asks, and an
// allowed call runs in a turn of its own.
func (s Settings) Annotations() tools.Annotations {
	return tools.Annotations{
		Level: tools.LevelExec, Executes: true, OpenWorld: s.Network,
		Timeout: s.MaxTimeout + margin, MaxOutput: MaxResult,
	}
}

// Time is a call's time limit of a number of seconds; 0 is the default.
func (s Settings) Time(seconds int) (time.Duration, error) {
	return within(seconds, s.Timeout, s.MaxTimeout)
}

// BackgroundTime is [Settings.Time] for a program that runs in the background.
func (s Settings) BackgroundTime(seconds int) (time.Duration, error) {
	return within(seconds, s.BackgroundLimit, s.BackgroundLimit)
}

func within(seconds int, usual, longest time.Duration) (time.Duration, error) {
	most := int(longest / time.Second)
	switch {
	case seconds == 0:
		return usual, nil
	case seconds < 0 || seconds > most:
		return 0, tools.Fail(tools.ErrInvalidArguments, fmt.Sprintf("timeout_s must be from 1 to %d", most), nil)
	default:
		return time.Duration(seconds) * time.Second, nil
	}
}

// Folder is where a program runs.
type Folder struct {
	// Outside is the state of the received files.
	Outside Outside
	// Root is the folder, opened; the caller closes it.
	Root *os.Root
	// Space and Dir are absolute paths, Name is Dir as the model wrote it, cleaned.
	Space, Dir, Name string
	// State is the fingerprint.
	State string
}

// Folder opens a folder of the chat's space.
func (s Settings) Folder(ctx context.Context, name string) (*Folder, error) {
	if err := s.Runner.Available(); err != nil {
		return nil, tools.Fail(tools.ErrDisabled, "nothing can be run here: "+err.Error(), nil).Because(err)
	}
	space := tools.InvocationFrom(ctx).Space
	if space == "" {
		return nil, tools.Fail(tools.ErrPermissionDenied, "this chat has no files, so nothing is run in it", nil)
	}
	name, err := cleanFolder(space, name)
	if err != nil {
		return nil, err
	}
	if s.Prepare != nil {
		if err := s.Prepare(space); err != nil {
			return nil, tools.Fail(tools.ErrExecutionFailed, "the files of this chat cannot be opened", nil).Because(err)
		}
	}
	root, err := os.OpenRoot(space)
	if err != nil {
		return nil, tools.Fail(tools.ErrExecutionFailed, "the files of this chat cannot be opened", nil).Because(err)
	}
	defer root.Close()
	f, info, err := openat.LinkedFolder(root, name)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, tools.Fail(tools.ErrInvalidArguments, "cwd is no folder", map[string]any{"cwd": name})
	case err != nil:
		return nil, folderError(name, err)
	}
	defer f.Close()
	dir, err := openat.Reopen(f)
	if err != nil {
		return nil, folderError(name, err)
	}
	space = filepath.Clean(space)
	return &Folder{
		Outside: LookOutside(root, s.Outside), Root: dir, Space: space,
		Dir: filepath.Join(space, name), Name: name, State: inode(info),
	}, nil
}

// Question is the question about a run in this folder: head and tail are the texts
// before and behind the folder. A person is shown its place in the workspace; the
// text kept, for the fingerprint, names its place on the machine.
func (f *Folder) Question(head, tail string) (shown, kept string) {
	name := "the workspace"
	if f.Name != "." {
		name += "'s folder " + Quote(f.Name)
	}
	return head + "in: " + name + tail, head + "in: " + Quote(f.Dir) + tail
}

// cleanFolder gives the folder of a call relative to the space; an absolute one is
// another spelling of that.
func cleanFolder(space, name string) (string, error) {
	if below, ok := openat.Below(space, name); ok {
		name = below
	}
	switch {
	case name == "":
		return ".", nil
	case strings.ContainsRune(name, 0):
		return "", tools.Fail(tools.ErrSecurityViolation, "a folder's name cannot contain a NUL byte", nil)
	case len(name) > maxPathBytes:
		return "", tools.Fail(tools.ErrInvalidArguments, "cwd is too long", nil)
	case path.IsAbs(name) || !filepath.IsLocal(name):
		return "", tools.Fail(tools.ErrSecurityViolation,
			"cwd must be a folder of the workspace, relative to it; this one lies outside", map[string]any{"cwd": name})
	}
	return path.Clean(name), nil
}

func folderError(name string, err error) *tools.Error {
	details := map[string]any{"cwd": name}
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tools.Fail(tools.ErrInvalidArguments, "there is no such folder to run in", details)
	case errors.As(err, &errno):
		return tools.Fail(tools.ErrInvalidArguments, "cwd cannot be entered: "+errno.Error(), details)
	default:
		// Not the system but os.Root refused: a link leads out of the space.
		return tools.Fail(tools.ErrSecurityViolation, "cwd leads out of the workspace", details)
	}
}

// Fingerprint tells a program from another, or a later one, at its path.
func Fingerprint(program string) (string, error) {
	info, err := os.Stat(program)
	if err != nil {
		return "", err
	}
	return program + " " + inode(info) + " " + strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10), nil
}

func inode(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}

// State is one fingerprint of several.
func State(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Quote shows an argument so that it can be read one way only: as it is where it
// is plain, else as a Go string.
func Quote(arg string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_@%+=:,./-", r))
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return strconv.Quote(arg)
}

// Line shows a program with its arguments.
func Line(program string, args []string) string {
	var b strings.Builder
	b.WriteString(Quote(program))
	for _, arg := range args {
		b.WriteString(" " + Quote(arg))
	}
	return b.String()
}

// Block shows a text of several lines: each behind a bar where all of it is
// visible, else the whole as a Go string.
func Block(text string) string {
	visible := func(r rune) bool { return unicode.IsPrint(r) || r == '\n' || r == '\t' }
	if strings.ToValidUTF8(text, "") != text || strings.IndexFunc(text, func(r rune) bool { return !visible(r) }) >= 0 {
		return strconv.Quote(text)
	}
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("\n|")
		if line != "" {
			b.WriteString(" " + line)
		}
	}
	return b.String()[1:]
}

// outcome is the model's report of a run.
type outcome struct {
	ExitCode  int    `json:"exit_code"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Duration  int64  `json:"duration_ms"`
	Truncated bool   `json:"truncated"`
}

// RunBehind is [Settings.Run] for a program in the background.
func (s Settings) RunBehind(ctx context.Context, f *Folder, c sandbox.Command) (any, error) {
	c.Patience = patience
	return s.Run(ctx, f, c)
}

// Run runs a command in a folder and gives the tool's result. Waiting for a place is
// not the call's time.
func (s Settings) Run(ctx context.Context, f *Folder, c sandbox.Command) (any, error) {
	c.Owner, c.Waits = tools.InvocationFrom(ctx).Owner(), func() func() { return tools.Waiting(ctx) }
	c.Workspace, c.Dir, c.Writable = f.Space, f.Dir, true
	c.Network, c.Readable, c.MaxOutput = s.Network, s.Readable, MaxOutput
	res, err := s.Runner.Run(ctx, c)
	f.Outside.Brought(ctx, f.Space, s.Outside)
	switch {
	case errors.Is(err, sandbox.ErrBusy):
		return nil, tools.Fail(tools.ErrBusy, err.Error(), nil).Because(err)
	case err != nil:
		return nil, err
	}
	out := outcome{
		ExitCode: res.ExitCode, Stdout: text(res.Stdout), Stderr: text(res.Stderr),
		Duration: res.Duration.Milliseconds(), Truncated: res.Truncated,
	}
	details := map[string]any{
		"exit_code": out.ExitCode, "stdout": out.Stdout, "stderr": out.Stderr, "duration_ms": out.Duration, "truncated": out.Truncated,
	}
	switch {
	case res.TimedOut:
		return nil, tools.TimedOut(c.Timeout,
			fmt.Sprintf("it did not end within %v and was ended, with all that it had started", c.Timeout), details)
	case res.Limit != "":
		return nil, tools.Fail(tools.ErrExecutionFailed, "it was ended: "+Excess(res.Limit), details)
	}
	return out, nil
}

// Excess names the limit that a run exceeded, by [sandbox.Result.Limit].
func Excess(limit string) string {
	switch limit {
	case "processes":
		return "it had too many processes or threads; let it start fewer at a time"
	case "disk":
		return "the files of this chat took more space than they may (tools.files.max_mb); delete some first"
	case "files":
		return "there were more files and folders in this chat, or deeper ones, than there may be (tools.files.max_files); delete some first"
	default:
		return "it had too much " + limit
	}
}

func text(b []byte) string { return string(bytes.ToValidUTF8(b, []byte("\uFFFD"))) }
