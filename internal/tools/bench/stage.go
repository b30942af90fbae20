package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
	"parley/pkg/channels"
)

const (
	readyTime = 30 * time.Second
	stopTime  = 30 * time.Second
)

// platform is where people ask the gateway and are answered.
type platform interface {
	// ask puts a question with that text into each of the chats, in order. Many may ask at once.
	ask(text string, chats ...int) []*ask
	// disturb has people ask in two more chats. Sends to the one hang, those to the
	// other are refused with 429. over ends that, and says when it was not so.
	disturb() (over func() error)
	// until waits for a condition on the platform.
	until(ctx context.Context, cond func() bool) error
	// settled names the fault of the ledger, if any.
	settled() error
	close()
}

// ask is a question that wants one answer. Its times are read after done is closed.
type ask struct {
	nonce            string
	handed, answered *time.Time
	done             <-chan struct{}
}

// place is a bench with the platform to measure on.
type place struct {
	*bench
	// prefix comes before the names of its figures; empty for the test channel.
	prefix string
	// connect gives a stage its platform, and the configuration by which the gateway
	// reaches it.
	connect func(ctx context.Context, s *stage) (rig.Config, []string, error)
	// pieces is the time between two pieces of the model's answers; 0 sends them whole.
	pieces time.Duration
	// people are those whose tokens are made before the measurement, on the web.
	people int
}

// aim is a figure with a bound that is the test channel's alone.
func (p place) aim(name string, value, limit float64, unit string) report.Figure {
	if p.prefix != "" {
		return report.Told(name, value, unit)
	}
	return report.AtMost(name, value, limit, unit)
}

// stage is one gateway with the platform and the model around it.
type stage struct {
	dir      string
	profile  string
	platform platform
	// bot is the address of the gateway's bot on the platform, without a chat.
	bot     channels.Address
	gw      *rig.Gateway
	process *rig.Process
	model   *model

	pprof     string // the profiler's address, where one is asked for
	firstPoll atomic.Pointer[time.Time]
}

// open prepares a stage on a fresh state; the gateway does not run yet.
func (p place) open(ctx context.Context, modelDelay time.Duration) (*stage, error) {
	dir, err := p.folder()
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, profile: p.profile}
	c, env, err := p.connect(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("platform: %w", err)
	}
	s.model, err = startModel(ctx, p.self, modelDelay, p.pieces)
	if err != nil {
		s.close()
		return nil, err
	}
	c.ModelURL = s.model.url + "/v1"
	s.gw, err = rig.NewGateway(p.gateway, s.dir, c, env...)
	if err != nil {
		s.close()
		return nil, fmt.Errorf("gateway: %w", err)
	}
	return s, nil
}

// folder makes the folder of a stage.
func (b *bench) folder() (string, error) {
	b.runs++
	dir := filepath.Join(b.dir, "run"+strconv.Itoa(b.runs))
	// One that is kept from an earlier run would hold its state.
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return "", fmt.Errorf("make folder: %w", err)
	}
	return dir, nil
}

// polled is called at each poll.
func (s *stage) polled() {
	now := time.Now()
	s.firstPoll.CompareAndSwap(nil, &now)
}

// start runs the gateway and returns how long it took to its first poll.
func (s *stage) start(ctx context.Context) (time.Duration, error) {
	s.firstPoll.Store(nil)
	env, err := s.profiler(ctx)
	if err != nil {
		return 0, err
	}
	p, err := s.gw.Start(ctx, nil, nil, env, "run")
	if err != nil {
		return 0, fmt.Errorf("gateway: %w", err)
	}
	s.process = p
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	go func() {
		select {
		case <-p.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := s.platform.until(ctx, func() bool { return s.firstPoll.Load() != nil }); err != nil {
		return 0, fmt.Errorf("the gateway did not poll: %w: %s", err, s.logTail())
	}
	return s.firstPoll.Load().Sub(p.Started), nil
}

func (s *stage) logTail() string {
	b, err := os.ReadFile(s.gw.LogPath())
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-2000):])
}

// stop ends the gateway with a signal and waits for its end.
func (s *stage) stop(ctx context.Context, sig syscall.Signal) error {
	s.process.Signal(sig)
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	if _, err := s.process.Wait(ctx); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

// close ends everything that still runs.
func (s *stage) close() {
	if s.process != nil {
		s.process.Kill()
	}
	if s.model != nil {
		s.model.stop()
	}
	s.platform.close()
}

// model is the model's process.
type model struct {
	url  string
	cmd  *exec.Cmd
	http *http.Client
}

func startModel(ctx context.Context, self string, delay, pieces time.Duration) (*model, error) {
	cmd := exec.CommandContext(ctx, self, "model", delay.String(), pieces.String()) //nolint:gosec // this very program
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m := &model{cmd: cmd, http: &http.Client{Timeout: 30 * time.Second}}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		m.stop()
		return nil, fmt.Errorf("model: %w", err)
	}
	m.url = strings.TrimSpace(line)
	return m, nil
}

func (m *model) stop() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	m.http.CloseIdleConnections()
}

// modelStats are the figures that the model's process tells of itself.
type modelStats struct {
	// Spent is the time it took over the requests of an ask, by nonce, in nanoseconds.
	Spent map[string]int64 `json:"spent"`
	// First is when the first piece of an answer was written, in nanoseconds since 1970.
	First      map[string]int64 `json:"first"`
	Violations []string         `json:"violations"`
}

func (m *model) stats(ctx context.Context) (modelStats, error) {
	var s modelStats
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url+"/stats", http.NoBody)
	if err != nil {
		return s, fmt.Errorf("model: %w", err)
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return s, fmt.Errorf("model: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err == nil && len(s.Violations) > 0 {
		err = fmt.Errorf("the model refused requests: %q: %w", s.Violations, errRefused)
	}
	if err != nil {
		return s, fmt.Errorf("model: %w", err)
	}
	return s, nil
}

// errRefused says that a request broke the rules of the model's API.
var errRefused = errors.New("invalid requests")
