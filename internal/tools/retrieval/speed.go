package main

import (
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/tools/retrieval/part"
)

const (
	// rounds are how often each query is asked.
	rounds = 2
	// maxMemory is what ours may take for the large collection, in MB.
	maxMemory = 30
	// slowerSearch and slowerBuild bound ours beside FTS5 and bleve.
	slowerSearch = 2
	slowerBuild  = 2
)

// engines are those whose speed is compared, each as the large collection suits it best.
func engines() map[string]func(dir string) (part.Engine, error) {
	return map[string]func(dir string) (part.Engine, error){
		"parley": part.OpenParley,
		"fts5":   func(dir string) (part.Engine, error) { return openFTS5(dir, "unicode61 remove_diacritics 2") },
		"bleve":  func(dir string) (part.Engine, error) { return openBleveLanguages(dir) },
	}
}

// measurement is the comparison of the speeds.
type measurement struct {
	dir     string
	names   []string
	queries []string
	builds  map[string][]part.Figures
	p50s    map[string]float64 // milliseconds
	p99s    map[string]float64
}

// speed prints the table of builds, searches and memory, and fails if ours misses the bounds.
func speed(ctx context.Context, dir string, all []collection, reps int, out io.Writer) error {
	dir, err := os.MkdirTemp(dir, "speed")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	m := &measurement{
		dir: dir, names: []string{"parley", "fts5", "bleve"},
		builds: map[string][]part.Figures{}, p50s: map[string]float64{}, p99s: map[string]float64{},
	}
	if err := command(ctx, ".", "go", "build", "-trimpath", "-o", m.alone(), "./alone"); err != nil {
		return err
	}
	if m.queries, err = large(filepath.Join(dir, part.LargeFile), all); err != nil {
		return err
	}
	err = write(filepath.Join(dir, part.QueriesFile), func(e *gob.Encoder) error { return e.Encode(m.queries) })
	if err != nil {
		return err
	}
	for range reps { // by turns, because a machine changes its speed
		for _, name := range m.names {
			if err := m.build(ctx, name); err != nil {
				return err
			}
		}
	}
	if err := m.latencies(ctx); err != nil {
		return err
	}
	return m.report(ctx, out)
}

// alone is the program with our engine and no other.
func (m *measurement) alone() string { return filepath.Join(m.dir, "alone") }

func (m *measurement) build(ctx context.Context, name string) error {
	if err := os.RemoveAll(filepath.Join(m.dir, name)); err != nil {
		return err
	}
	f, err := m.start(ctx, part.Build, name)
	m.builds[name] = append(m.builds[name], f)
	return err
}

// start runs a part in a process of its own.
func (m *measurement) start(ctx context.Context, word, name string) (f part.Figures, err error) {
	program, err := os.Executable()
	if err != nil {
		return f, err
	}
	if name == "parley" {
		program = m.alone()
	}
	cmd := exec.CommandContext(ctx, program, word, name, m.dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("%s %s: %w", word, name, err)
	}
	return f, f.Scan(strings.TrimSpace(string(out)))
}

// latencies asks each engine each query, by turns.
func (m *measurement) latencies(ctx context.Context) error {
	opened := map[string]part.Engine{}
	took := map[string][]float64{}
	for _, name := range m.names {
		e, err := engines()[name](filepath.Join(m.dir, name))
		if err != nil {
			return err
		}
		defer func() { _ = e.Close() }()
		opened[name] = e
	}
	for range rounds {
		for _, q := range m.queries {
			for _, name := range m.names {
				began := time.Now()
				if _, err := opened[name].Search(ctx, "", q, part.Hits); err != nil {
					return err
				}
				took[name] = append(took[name], float64(time.Since(began).Microseconds())/1000)
			}
		}
	}
	for name, all := range took {
		slices.Sort(all)
		m.p50s[name], m.p99s[name] = all[len(all)/2], all[len(all)*99/100]
	}
	return nil
}

func (m *measurement) report(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "%d passages, %d queries of %d hits, each asked %d times\n\n", many, len(m.queries), part.Hits, rounds)
	fmt.Fprintln(out, "| engine | build, passages a second | per second of CPU | peak memory of a build | query p50 | p99 "+
		"| peak memory of searches | anonymous memory then | on disk |\n|---|---|---|---|---|---|---|---|---|")
	middle := map[string]part.Figures{}
	var memory float64
	for _, name := range m.names {
		f, err := m.start(ctx, part.Search, name)
		if err != nil {
			return err
		}
		size, err := sizeOf(filepath.Join(m.dir, name))
		if err != nil {
			return err
		}
		b := median(m.builds[name])
		middle[name] = b
		if name == "parley" {
			memory = max(b.Peak, f.Peak)
		}
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.1f MB | %.2f ms | %.2f ms | %.1f MB | %.1f MB | %.0f MB |\n", name,
			many/b.Seconds, many/b.CPU, b.Peak, m.p50s[name], m.p99s[name], f.Peak, f.Anonymous, size)
	}
	fmt.Fprintln(out)
	if memory > maxMemory || m.p99s["parley"] > slowerSearch*m.p99s["fts5"] ||
		middle["parley"].Seconds > slowerBuild*middle["bleve"].Seconds {
		return errMissed
	}
	return nil
}

func median(all []part.Figures) part.Figures {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b part.Figures) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return sorted[len(sorted)/2]
}

func sizeOf(dir string) (mb float64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			mb += float64(info.Size()) / (1 << 20)
		}
		return err
	})
	return mb, err
}
