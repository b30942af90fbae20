package mutants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/internal/tools/promises"
)

// Mutant is one defect and the test that finds it.
type Mutant struct {
	// Promise is the promise of docs/promises.yaml that the defect breaks.
	Promise string
	// Defect tells the defect in a few words.
	Defect string
	// File is edited: Old, which stands in it exactly once, becomes New.
	File, Old, New string
	// Dir is the folder of the test's package and Test the pattern for go test -run.
	Dir, Test string
}

// Verdict is the outcome of a mutant.
type Verdict string

// The verdicts. Only Killed is good. TimedOut: the test reached its limit, which a busy machine can cause as well as the
// defect. Left is no verdict: the run ended before.
const (
	Killed   Verdict = "killed"
	Survived Verdict = "SURVIVED"
	TimedOut Verdict = "TIME LIMIT"
	Failed   Verdict = "ERROR"
	Left     Verdict = "left"
)

// Result is the verdict on one mutant; Detail says why it could not be judged.
type Result struct {
	Mutant  Mutant
	Verdict Verdict
	Detail  string
	Took    time.Duration
}

// Runner judges mutants of the tree at Root.
type Runner struct {
	Root string
	// Scratch is the absolute path of a folder for the copies; it must exist and is left full.
	Scratch string
	// Workers are how many copies are tested side by side.
	Workers int
	// Limit bounds one test, builds aside; it is longer than a test waits by itself. A test that takes long without the defect
	// gets a multiple of that time.
	Limit time.Duration
}

const (
	// How many times longer a test may take with the defect than without.
	slower = 3
	// How many limits a test may take without the defect: the machine may be busy.
	calm = 2
	// The bound of a build.
	buildTime = 10 * time.Minute
)

// Run judges all mutants and calls report, one call at a time, as results come.
// The error speaks of the copies; a mutant's own trouble is in its result.
func (r Runner) Run(ctx context.Context, list []Mutant, report func(Result)) error {
	work := make(chan Mutant)
	results := make(chan Result)
	errs := make(chan error, r.Workers)
	green := &baseline{seen: map[string]func() (time.Duration, error){}}
	var wg sync.WaitGroup
	for i := range r.Workers {
		wg.Go(func() {
			dir := filepath.Join(r.Scratch, fmt.Sprint(i))
			errs <- Copy(dir, r.Root)
			for m := range work {
				start := time.Now()
				v, detail := r.judge(ctx, dir, m, green)
				results <- Result{Mutant: m, Verdict: v, Detail: detail, Took: time.Since(start)}
			}
		})
	}
	go func() {
		defer close(work)
		for _, m := range list {
			work <- m
		}
	}()
	for range list {
		report(<-results)
	}
	wg.Wait()
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return all
}

// baseline runs each test once on the tree as it is.
type baseline struct {
	mu   sync.Mutex
	seen map[string]func() (time.Duration, error)
}

// check gives the time that a test takes without a defect.
func (b *baseline) check(key string, run func() (time.Duration, error)) (time.Duration, error) {
	b.mu.Lock()
	once, ok := b.seen[key]
	if !ok {
		once = sync.OnceValues(run)
		b.seen[key] = once
	}
	b.mu.Unlock()
	return once()
}

func (r Runner) judge(ctx context.Context, dir string, m Mutant, green *baseline) (v Verdict, detail string) {
	if ctx.Err() != nil {
		return Left, context.Cause(ctx).Error()
	}
	copied, err := os.OpenRoot(dir)
	if err != nil {
		return Failed, err.Error()
	}
	defer func() { _ = copied.Close() }()
	original, err := copied.ReadFile(m.File)
	if err != nil {
		return Failed, err.Error()
	}
	mutated, err := m.Apply(string(original))
	if err != nil {
		return Failed, err.Error()
	}
	took, err := green.check(m.Dir+" "+m.Test, func() (time.Duration, error) {
		o := r.test(ctx, dir, m, calm*r.Limit)
		switch {
		case o.err != nil:
			return 0, fmt.Errorf("red without the defect: %w\n%s", o.err, o.out)
		case strings.Contains(o.out, "no tests to run"):
			return 0, errors.New("no such test")
		}
		return o.took, nil
	})
	if ctx.Err() != nil {
		return Left, context.Cause(ctx).Error()
	}
	if err != nil {
		return Failed, err.Error()
	}
	return r.plant(ctx, dir, m, planted{copied, original, []byte(mutated), max(r.Limit, slower*took)})
}

// planted is the file of a mutant in a copy of the tree, without the defect and with it, and the time for its test.
type planted struct {
	copied            *os.Root
	original, mutated []byte
	limit             time.Duration
}

// plant runs a mutant's test with the defect in place, and takes the defect away.
func (r Runner) plant(ctx context.Context, dir string, m Mutant, p planted) (Verdict, string) {
	if err := p.copied.WriteFile(m.File, p.mutated, 0o600); err != nil {
		return Failed, err.Error()
	}
	var o outcome
	if path.Ext(m.File) == ".go" { // a test may build the gateway by itself
		o.out, o.err = r.command(ctx, dir, buildTime, "go", "build", "-o", os.DevNull, "./"+path.Dir(m.File))
		o.unbuilt = o.err != nil
	}
	if o.err == nil {
		o = r.test(ctx, dir, m, p.limit)
	}
	if err := p.copied.WriteFile(m.File, p.original, 0o600); err != nil {
		return Failed, err.Error()
	}
	switch {
	case ctx.Err() != nil:
		return Left, context.Cause(ctx).Error()
	case o.unbuilt:
		return Failed, "does not compile: " + o.err.Error() + "\n" + o.out
	case o.err == nil:
		return Survived, ""
	case o.timedOut:
		return TimedOut, o.err.Error()
	default:
		return Killed, ""
	}
}

// Apply gives the text of the mutant's file with the defect in it.
func (m Mutant) Apply(text string) (string, error) {
	if n := strings.Count(text, m.Old); n != 1 {
		return "", fmt.Errorf("%s has %d times: %s", m.File, n, m.Old)
	}
	return strings.Replace(text, m.Old, m.New, 1), nil
}

// browserTime is how many limits a test in a browser may take.
const browserTime = 4

// outcome is the end of a test: its output, its error if it is red, and the time that it took.
type outcome struct {
	out  string
	err  error
	took time.Duration
	// unbuilt: there is no test to run. timedOut: it reached its limit.
	unbuilt, timedOut bool
}

// test builds the binary of a mutant's test, and runs it within the limit.
func (r Runner) test(ctx context.Context, dir string, m Mutant, limit time.Duration) outcome {
	in := promises.Module(m.Dir)
	if in != "." {
		limit *= browserTime
	}
	of, err := filepath.Rel(in, m.Dir)
	if err != nil {
		return outcome{err: err, unbuilt: true}
	}
	binary := filepath.Join(dir, testBinary)
	if err := os.Remove(binary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return outcome{err: err, unbuilt: true}
	}
	module := filepath.Join(dir, filepath.FromSlash(in))
	out, err := r.command(ctx, module, buildTime, "go", "test", "-c", "-vet=off", "-o", binary, "./"+filepath.ToSlash(of))
	if err != nil {
		return outcome{out: out, err: err, unbuilt: true}
	}
	start := time.Now()
	// A TestMain that builds the gateway does so before the test's own limit begins.
	out, err = r.command(ctx, filepath.Join(module, of), limit+buildTime,
		binary, "-test.paniconexit0", "-test.timeout", limit.String(), "-test.run", m.Test)
	reached := errors.Is(err, context.DeadlineExceeded) || strings.Contains(out, "panic: test timed out after")
	return outcome{out: out, err: err, took: time.Since(start), timedOut: err != nil && reached}
}

// testBinary is the file of the test in a copy of the tree.
const testBinary = "mutant.test"

// command runs a program in a folder; an error of its deadline is [context.DeadlineExceeded].
func (Runner) command(ctx context.Context, dir string, limit time.Duration, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // arguments of our own list
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w", filepath.Base(name), args[0], errors.Join(ctx.Err(), err))
	}
	return string(out), nil
}

// Copy puts the tree at from into the folder to, without the files of git or a build.
func Copy(to, from string) error {
	tree := os.DirFS(from)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		target := filepath.Join(to, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case name == ".git" && !d.IsDir(): // the form that it has in a worktree
			return nil
		case d.IsDir() && (name == ".git" || name == "bin"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
	if err != nil {
		return fmt.Errorf("copy the tree: %w", err)
	}
	return nil
}
