package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/pkg/session"
)

// Gateway is a gateway's files: configuration, state, workspace and log. Each
// Start is another process on the same state.
type Gateway struct {
	// Bin is the binary, Dir the folder of all files.
	Bin, Dir string
	// Env is the environment of every process beside PATH and HOME, as NAME=value.
	Env []string
}

// Config is the part of the configuration that the suites vary.
type Config struct {
	// ModelURL ends in /v1; empty means the built-in offline model.
	ModelURL string
	// ToolMode is the tool_mode of the model; empty means its own.
	ToolMode string
	// LogLevel is "warn" when empty.
	LogLevel string
	// Telegram runs a bot that everyone may use, Slack an app; nil runs no bot.
	Telegram *Telegram
	Slack    *Slack
	// Agent has further settings of agent, such as "voice: transcribe", and More further blocks.
	Agent, More string
	// Models are further models, by their names; a %s in one is the model server.
	Models map[string]string
	// HTTP is where the gateway's own server listens; empty means none.
	HTTP string
	// ChatHeader is the header by which clients of /v1 name a lasting chat; empty means none.
	ChatHeader string
	// Tools are the settings below tools, by their keys; chats stands in Telegram and Slack.
	Tools map[string]any
	// Corpora are the folders of documents, by their names.
	Corpora map[string]any
}

// Telegram is a bot on Telegram, or a server that stands in for it.
type Telegram struct {
	APIURL, Token string
	// Chats are the ids of those that may use tools with side effects.
	Chats []int64
	// Owner is the id of a person with a direct chat that may run programs too, or 0.
	Owner int64
	// PerBot is how many messages a second the bot sends to all chats together; 0 sets
	// no limit.
	PerBot float64
}

// tokenVariable is where the gateway finds the token.
const tokenVariable = "TELEGRAM_TOKEN"

// yaml is t's part below channels.
func (t *Telegram) yaml() string {
	return fmt.Sprintf(`  telegram:
    enabled: true
    token: "env:%s"
    api_url: %q
    allow_everyone: true
    send_rate: {chat: 0, group_per_minute: 0, bot: %v}
`, tokenVariable, t.APIURL, t.PerBot)
}

// owner is the owner as the configuration names them, or "".
func (t *Telegram) owner() string {
	if t.Owner == 0 {
		return ""
	}
	return fmt.Sprintf("telegram:%d", t.Owner)
}

// levels puts the levels of the chats into all, by their places.
func (t *Telegram) levels(all map[string]any) {
	for _, id := range t.Chats {
		all[fmt.Sprintf("telegram:%d", id)] = map[string]any{"level": "write"}
	}
	if t.Owner != 0 {
		all[t.owner()] = map[string]any{"level": "exec"}
	}
}

// channels are the configuration's part on platforms and owners, and the environment
// that it refers to.
func (c *Config) channels() (text string, env []string) {
	var owners []string
	if c.Telegram != nil {
		text += c.Telegram.yaml()
		env = append(env, tokenVariable+"="+c.Telegram.Token)
		owners = append(owners, c.Telegram.owner())
	}
	if c.Slack != nil {
		text += c.Slack.yaml()
		env = append(env, c.Slack.env()...)
		owners = append(owners, c.Slack.owner())
	}
	if text != "" {
		text = "channels:\n" + text
	}
	owners = slices.DeleteFunc(owners, func(o string) bool { return o == "" })
	if len(owners) > 0 {
		text += "owners: [\"" + strings.Join(owners, "\", \"") + "\"]\n"
	}
	return text, env
}

// toolSettings is the configuration's part on tools and corpora; JSON is YAML too.
func (c *Config) toolSettings() (string, error) {
	all := maps.Clone(c.Tools)
	if all == nil {
		all = map[string]any{}
	}
	chats := map[string]any{}
	if c.Telegram != nil {
		c.Telegram.levels(chats)
	}
	if c.Slack != nil {
		c.Slack.levels(chats)
	}
	if _, given := all["chats"]; !given {
		all["chats"] = chats
	}
	b, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("settings of tools: %w", err)
	}
	text := "tools: " + string(b) + "\n"
	if len(c.Corpora) > 0 {
		if b, err = json.Marshal(c.Corpora); err != nil {
			return "", fmt.Errorf("settings of corpora: %w", err)
		}
		text += "corpora: " + string(b) + "\n"
	}
	return text, nil
}

// NewGateway writes the configuration into dir, which must exist.
func NewGateway(bin, dir string, c Config, env ...string) (*Gateway, error) {
	if c.LogLevel == "" {
		c.LogLevel = "warn"
	}
	model := "{provider: offline, model: offline}"
	if c.ModelURL != "" {
		model = fmt.Sprintf("{provider: openai, model: fake, base_url: %q, api_key: \"env:LLM_KEY\"}", c.ModelURL)
	}
	if c.ToolMode != "" {
		model = strings.Replace(model, "{", "{tool_mode: "+c.ToolMode+", ", 1)
	}
	text := fmt.Sprintf(`state_dir: %q
workspace: %q
log: {level: %s, format: json}
agent: {model: main, max_tool_iterations: 20%s}
models:
  main: %s
`, filepath.Join(dir, "state"), filepath.Join(dir, "workspace"), c.LogLevel, more(c.Agent), model)
	var models strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		fmt.Fprintf(&models, "  %s: %s\n", name, strings.ReplaceAll(c.Models[name], "%s", c.ModelURL))
	}
	text += models.String() + c.More
	settings, err := c.toolSettings()
	if err != nil {
		return nil, err
	}
	text += settings
	if c.HTTP != "" {
		headers := "[]"
		if c.ChatHeader != "" {
			headers = "[" + c.ChatHeader + "]"
		}
		text += fmt.Sprintf("http: {listen: %q, public_url: %q, chat_headers: %s}\n", c.HTTP, "http://"+c.HTTP, headers)
	}
	platforms, secrets := c.channels()
	text += platforms
	g := &Gateway{Bin: bin, Dir: dir, Env: slices.Concat([]string{"LLM_KEY=test"}, env, secrets)}
	if err := os.WriteFile(g.ConfigPath(), []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	return g, nil
}

// more continues a list of settings.
func more(settings string) string {
	if settings == "" {
		return ""
	}
	return ", " + settings
}

// ConfigPath is the configuration file.
func (g *Gateway) ConfigPath() string { return filepath.Join(g.Dir, "parley.yaml") }

// LogPath is the file with the standard error of every process.
func (g *Gateway) LogPath() string { return filepath.Join(g.Dir, "gateway.log") }

// StorePath is the folder of the durable store, the configured state_dir.
func (g *Gateway) StorePath() string { return filepath.Join(g.Dir, "state") }

// Command prepares a run of the gateway with a verb and its arguments; env comes on top of g.Env.
func (g *Gateway) Command(ctx context.Context, env []string, verb ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.Bin, append(verb, "--config", g.ConfigPath())...) //nolint:gosec // the binary under test
	cmd.Dir = g.Dir
	cmd.Env = append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + g.Dir}, g.Env...)
	cmd.Env = append(cmd.Env, env...)
	// Whatever ends this process ends the gateway too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// Process is one running gateway.
type Process struct {
	Pid     int
	Started time.Time

	cmd   *exec.Cmd
	log   *os.File
	done  chan struct{}
	state *os.ProcessState
	once  sync.Once
}

// Start runs the gateway with a verb ("run", mostly). The end of ctx ends the
// process with SIGKILL; stdin and stdout may be nil.
func (g *Gateway) Start(ctx context.Context, stdin io.Reader, stdout io.Writer, env []string, verb ...string) (*Process, error) {
	log, err := os.OpenFile(g.LogPath(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	cmd := g.Command(ctx, env, verb...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, log
	p := &Process{cmd: cmd, log: log, done: make(chan struct{}), Started: time.Now()}
	if err := cmd.Start(); err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("start gateway: %w", err)
	}
	p.Pid = cmd.Process.Pid
	go func() {
		_ = cmd.Wait() // the state says how it ended
		p.state = cmd.ProcessState
		_ = log.Close()
		close(p.done)
	}()
	return p, nil
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal sends a signal, if the process has not ended.
func (p *Process) Signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// Kill ends the process with SIGKILL and waits for its end.
func (p *Process) Kill() {
	p.once.Do(func() { _ = p.cmd.Process.Kill() })
	<-p.done
}

// Wait waits for the process's end and says how it came.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.done:
		ws, _ := p.state.Sys().(syscall.WaitStatus)
		return Exit{Code: p.state.ExitCode(), Killed: ws.Signaled() && ws.Signal() == syscall.SIGKILL, How: p.state.String()}, nil
	case <-ctx.Done():
		return Exit{}, fmt.Errorf("gateway %d still runs: %w", p.Pid, context.Cause(ctx))
	}
}

// Exit is how a process ended. Code is -1 after a signal, Killed tells SIGKILL,
// and How says it in words.
type Exit struct {
	Code   int
	Killed bool
	How    string
}

// CPU is the processor time that an ended process used, in user and system mode.
func (p *Process) CPU() time.Duration {
	<-p.done
	return p.state.UserTime() + p.state.SystemTime()
}

const (
	// The exit codes of gateway status where a gateway starts and has no socket yet, and where none runs.
	starting, notRunning = 3, 4
	// How long a gateway that was just started may take to answer.
	startTime = 20 * time.Second
)

// Status asks a gateway that runs, or was just started, for the counts of its store.
func (g *Gateway) Status(ctx context.Context) (session.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		out, err := g.status(ctx)
		if exit, ended := errors.AsType[*exec.ExitError](err); ended && (exit.ExitCode() == notRunning || exit.ExitCode() == starting) {
			select {
			case <-again.C:
				continue
			case <-ctx.Done():
			}
		}
		return out, err
	}
}

func (g *Gateway) status(ctx context.Context) (session.Status, error) {
	cmd := g.Command(ctx, nil, "status", "--json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return session.Status{}, fmt.Errorf("gateway status: %w: %s", err, stderr.String())
	}
	var report struct {
		Store session.Status `json:"store"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return session.Status{}, fmt.Errorf("gateway status: %w", err)
	}
	return report.Store, nil
}
