package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"parley/internal/test/rig"
	"parley/internal/tools/bench/report"
)

// settle is how long after its first poll a gateway counts as idle.
const settle = 10 * time.Second

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("pause: %w", ctx.Err())
	}
}

// startChats are about as many as a store of 100 MB holds.
const startChats = 6_500

// startup starts on a store of nearly 100 MB, after SIGTERM and after SIGKILL.
func startup(ctx context.Context, p place) ([]report.Figure, error) {
	s, err := p.openFilled(ctx, startChats)
	if err != nil {
		return nil, err
	}
	defer s.close()
	size, err := folderSize(s.gw.StorePath())
	if err != nil {
		return nil, err
	}
	afterTerm, afterKill, err := s.restarts(ctx)
	return []report.Figure{
		report.Told("size of the store", float64(size)/(1<<20), "MB"),
		report.AtMost("start to first poll, after SIGTERM", ms(afterTerm), 20, "ms"),
		report.AtMost("start to first poll, after SIGKILL", ms(afterKill), 20, "ms"),
	}, err
}

// restarts gives the times from start to first poll after a clean end and after a kill, medians of five.
func (s *stage) restarts(ctx context.Context) (afterTerm, afterKill time.Duration, err error) {
	const times = 5
	if _, err := s.start(ctx); err != nil {
		return 0, 0, err
	}
	took := map[syscall.Signal][]float64{}
	for range times {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			if err := s.stop(ctx, sig); err != nil {
				return 0, 0, err
			}
			d, err := s.start(ctx)
			if err != nil {
				return 0, 0, err
			}
			took[sig] = append(took[sig], float64(d))
		}
	}
	middle := func(sig syscall.Signal) time.Duration { return time.Duration(report.Percentile(took[sig], 50)) }
	return middle(syscall.SIGTERM), middle(syscall.SIGKILL), nil
}

func idle(ctx context.Context, p place) ([]report.Figure, error) {
	sample, err := p.idleSample(ctx)
	return []report.Figure{
		report.AtMost("idle memory, 10 s after ready", mib(sample.RSS), 30, "MB"),
		report.Told("of it anonymous", mib(sample.Anon), "MB"),
	}, err
}

// idleSample has the kernel's figures of a gateway on an empty store.
func (p place) idleSample(ctx context.Context) (sample rig.Sample, err error) {
	err = p.with(ctx, 0, func(ctx context.Context, s *stage) error {
		sample, err = s.rest(ctx)
		return err
	})
	return sample, err
}

// rest samples a gateway that has been idle for a while, and sees that it works.
func (s *stage) rest(ctx context.Context) (rig.Sample, error) {
	if err := pause(ctx, settle); err != nil {
		return rig.Sample{}, err
	}
	sample, err := s.process.Sample()
	if err != nil {
		return sample, err
	}
	return sample, answered(ctx, s.platform.ask("hello", 0)...)
}

// knownChats holds the memory with 100,000 chats in the store against that with an empty one.
func knownChats(ctx context.Context, p place) ([]report.Figure, error) {
	const chats = 100_000
	without, err := p.idleSample(ctx)
	if err != nil {
		return nil, err
	}
	full, err := p.openFilled(ctx, chats)
	if err != nil {
		return nil, err
	}
	defer full.close()
	afterTerm, afterKill, err := full.restarts(ctx)
	if err != nil {
		return nil, err
	}
	with, err := full.rest(ctx)
	return []report.Figure{
		report.AtMost("100,000 known chats: anonymous memory over an empty store", mib(with.Anon-without.Anon), 5, "MB"),
		report.AtMost("100,000 known chats: start to first poll", ms(afterTerm), 200, "ms"),
		report.AtMost("100,000 known chats: start to first poll, after SIGKILL", ms(afterKill), 1000, "ms"),
	}, err
}

// openFilled prepares a stage with a store that holds that many chats with ten messages
// of 400 bytes each. The store is made once and copied.
func (p place) openFilled(ctx context.Context, chats int) (*stage, error) {
	s, err := p.open(ctx, 0)
	if err != nil {
		return nil, err
	}
	if err := p.copyFilled(ctx, s, chats); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (b *bench) copyFilled(ctx context.Context, s *stage, chats int) error {
	master := filepath.Join(b.dir, "filled-"+s.bot.Channel+strconv.Itoa(chats))
	if _, err := os.Stat(master); os.IsNotExist(err) {
		//nolint:gosec // this very program
		cmd := exec.CommandContext(ctx, b.self, "fill", master, strconv.Itoa(chats), s.bot.Channel, s.bot.Account)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("fill: %w: %s", err, out)
		}
	}
	return copyFolder(s.gw.StorePath(), master)
}

func copyFolder(to, from string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(from, e.Name())) //nolint:gosec // a folder of our own
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), b, 0o600) //nolint:gosec // a folder of our own
		}
		if err != nil {
			return fmt.Errorf("copy: %w", err)
		}
	}
	return nil
}

func folderSize(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("size: %w", err)
	}
	var n int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, fmt.Errorf("size: %w", err)
		}
		n += info.Size()
	}
	return n, nil
}

// binary is the size of the gateway as it is released: no tags, stripped.
func binary(ctx context.Context, p place) ([]report.Figure, error) {
	bin, err := rig.Build(ctx, p.dir, "gateway-release", released()...)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(bin)
	if err != nil {
		return nil, fmt.Errorf("binary: %w", err)
	}
	const megabyte = 1 << 20 // as the test of a release and make build count it
	return []report.Figure{report.AtMost("stripped binary", float64(info.Size())/megabyte, 30, "MB")}, nil
}

// benchLine is a line of go test -bench.
var benchLine = regexp.MustCompile(`(?m)^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op`)

// registry runs the tool registry's own benchmarks.
func registry(ctx context.Context, _ place) ([]report.Figure, error) {
	out, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", ".", "-count", "3", "parley/pkg/tools").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go test -bench: %w: %s", err, out)
	}
	times := map[string][]float64{}
	var names []string
	for _, m := range benchLine.FindAllStringSubmatch(string(out), -1) {
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, fmt.Errorf("go test -bench: %w", err)
		}
		if times[m[1]] == nil {
			names = append(names, m[1])
		}
		times[m[1]] = append(times[m[1]], ns/1000)
	}
	var figures []report.Figure
	for _, name := range names {
		us := report.Percentile(times[name], 50)
		switch name {
		case "BenchmarkDispatchClonedContextualAsync":
			figures = append(figures, report.AtMost("registry: a contextual async call on its own clone", us, 2, "µs"))
		case "BenchmarkValidate":
			figures = append(figures, report.AtMost("registry: validation of arguments", us, 10, "µs"))
		default:
			figures = append(figures, report.Told(name, us, "µs"))
		}
	}
	return figures, nil
}
