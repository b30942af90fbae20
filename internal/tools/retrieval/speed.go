package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The parts of a run that are processes of their own, so that their memory can be told.
const (
	wordBuild  = "build"
	wordSearch = "search"
)

// engines are those whose speed is compared, each as the large collection suits it best.
func engines() map[string]func(dir string) (engine, error) {
	return map[string]func(dir string) (engine, error){
		"parley": func(dir string) (engine, error) { return openOurs(dir) },
		"fts5":   func(dir string) (engine, error) { return openFTS5(dir, "unicode61 remove_diacritics 2") },
		"bleve":  func(dir string) (engine, error) { return openBleveLanguages(dir) },
	}
}

// itemEngine takes the documents of the large collection.
type itemEngine interface {
	engine
	addItems(ctx context.Context, path string) error
}

// figures are those of a process.
type figures struct {
	seconds, cpu   float64
	peak, rss, own float64 // MB: VmHWM, VmRSS, RssAnon
}

// child is the part of a process: build ENGINE DIR, or search ENGINE DIR.
func child(ctx context.Context, args []string, out io.Writer) error {
	word, name, dir := args[0], args[1], args[2]
	e, err := engines()[name](filepath.Join(dir, name))
	if err != nil {
		return err
	}
	began := time.Now()
	if word == wordBuild {
		large, ok := e.(itemEngine)
		if !ok {
			return fmt.Errorf("%s takes no items", name)
		}
		err = large.addItems(ctx, filepath.Join(dir, "large.gob"))
	} else {
		err = searchAll(ctx, e, dir)
	}
	f, statErr := measured(time.Since(began))
	if err := errors.Join(err, statErr, e.close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, f.seconds, f.cpu, f.peak, f.rss, f.own)
	return err
}

func readQueries(dir string) (queries []string, err error) {
	f, err := os.Open(filepath.Join(dir, "queries.gob"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return queries, gob.NewDecoder(f).Decode(&queries)
}

func searchAll(ctx context.Context, e engine, dir string) error {
	queries, err := readQueries(dir)
	if err != nil {
		return err
	}
	for _, q := range queries {
		if _, err := e.search(ctx, "", q, hitsWanted); err != nil {
			return err
		}
	}
	return nil
}

// measured tells of this process.
func measured(took time.Duration) (figures, error) {
	f := figures{seconds: took.Seconds()}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return f, err
	}
	f.cpu = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	status, err := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
		switch name {
		case "VmHWM":
			f.peak = kb / 1024
		case "VmRSS":
			f.rss = kb / 1024
		case "RssAnon":
			f.own = kb / 1024
		}
	}
	return f, err
}

// start runs a part in a process of its own.
func start(ctx context.Context, args ...string) (f figures, err error) {
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	_, err = fmt.Sscan(string(out), &f.seconds, &f.cpu, &f.peak, &f.rss, &f.own)
	return f, err
}

// speed prints the table of builds, searches and memory, and fails if ours misses the bounds.
func speed(ctx context.Context, dir string, all []collection, reps int, out io.Writer) error {
	dir, err := os.MkdirTemp(dir, "speed")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	queries, err := large(filepath.Join(dir, "large.gob"), all)
	if err == nil {
		err = write(filepath.Join(dir, "queries.gob"), func(e *gob.Encoder) error { return e.Encode(queries) })
	}
	if err != nil {
		return err
	}
	names := []string{"parley", "fts5", "bleve"}
	builds := map[string][]figures{}
	for range reps { // by turns, because a machine changes its speed
		for _, name := range names {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return err
			}
			f, err := start(ctx, wordBuild, name, dir)
			if err != nil {
				return err
			}
			builds[name] = append(builds[name], f)
		}
	}
	p99s, p50s, err := latencies(ctx, dir, names, queries)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d passages, %d queries of %d hits, each asked three times\n\n", many, len(queries), hitsWanted)
	fmt.Fprintln(out, "| engine | build, passages a second | of CPU | peak memory of a build | query p50 | p99 | "+
		"peak memory of searches | anonymous memory | size on disk |\n|---|---|---|---|---|---|---|---|---|")
	for _, name := range names {
		f, err := start(ctx, wordSearch, name, dir)
		if err != nil {
			return err
		}
		b := median(builds[name])
		size, err := sizeOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.1f MB | %.2f ms | %.2f ms | %.1f MB | %.1f MB | %.0f MB |\n", name,
			many/b.seconds, many/b.cpu, b.peak, p50s[name], p99s[name], f.peak, f.own, size)
		if name == "parley" && (b.peak > maxMemory || f.peak > maxMemory) {
			err = errMissed
		}
		if err != nil {
			return err
		}
	}
	ours, theirs := median(builds["parley"]), median(builds["bleve"])
	if p99s["parley"] > 2*p99s["fts5"] || ours.seconds > 2*theirs.seconds {
		return errMissed
	}
	return nil
}

// maxMemory is what ours may take for the large collection, in MB.
const maxMemory = 30

func median(all []figures) figures {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b figures) int {
		if a.seconds < b.seconds {
			return -1
		}
		return 1
	})
	return sorted[len(sorted)/2]
}

// latencies asks each engine each query, by turns, and gives milliseconds.
func latencies(ctx context.Context, dir string, names, queries []string) (p99s, p50s map[string]float64, err error) {
	opened := map[string]engine{}
	took := map[string][]float64{}
	for _, name := range names {
		e, err := engines()[name](filepath.Join(dir, name))
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = e.close() }()
		opened[name] = e
	}
	for range 3 {
		for _, q := range queries {
			for _, name := range names {
				began := time.Now()
				if _, err := opened[name].search(ctx, "", q, hitsWanted); err != nil {
					return nil, nil, err
				}
				took[name] = append(took[name], float64(time.Since(began).Microseconds())/1000)
			}
		}
	}
	p99s, p50s = map[string]float64{}, map[string]float64{}
	for name, all := range took {
		slices.Sort(all)
		p99s[name], p50s[name] = all[len(all)*99/100], all[len(all)/2]
	}
	return p99s, p50s, nil
}

func sizeOf(dir string) (mb float64, err error) {
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			mb += float64(info.Size()) / (1 << 20)
		}
		return err
	})
	return mb, err
}
