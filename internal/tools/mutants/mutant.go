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

// The verdicts. Only Killed is good; Left is no verdict: the run ended before.
const (
	Killed   Verdict = "killed"
	Survived Verdict = "SURVIVED"
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
	// Scratch holds the copies; it must exist and is left full.
	Scratch string
	// Workers are how many copies are tested side by side.
	Workers int
	// Limit bounds one test; reaching it kills the mutant.
	Limit time.Duration
}

// Run judges all mutants and calls report, one call at a time, as results come.
// The error speaks of the copies; a mutant's own trouble is in its result.
func (r Runner) Run(ctx context.Context, list []Mutant, report func(Result)) error {
	work := make(chan Mutant)
	results := make(chan Result)
	errs := make(chan error, r.Workers)
	green := &baseline{seen: map[string]func() error{}}
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
	seen map[string]func() error
}

func (b *baseline) check(key string, run func() error) error {
	b.mu.Lock()
	once, ok := b.seen[key]
	if !ok {
		once = sync.OnceValue(run)
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
	err = green.check(m.Dir+" "+m.Test, func() error {
		out, err := r.test(ctx, dir, m)
		switch {
		case err != nil:
			return fmt.Errorf("red without the defect: %w\n%s", err, out)
		case strings.Contains(out, "[no tests to run]"):
			return errors.New("no such test")
		}
		return nil
	})
	if ctx.Err() != nil {
		return Left, context.Cause(ctx).Error()
	}
	if err != nil {
		return Failed, err.Error()
	}
	return r.plant(ctx, dir, m, planted{copied, original, []byte(mutated)})
}

// planted is the file of a mutant in a copy of the tree, without the defect and with it.
type planted struct {
	copied            *os.Root
	original, mutated []byte
}

// plant runs a mutant's test with the defect in place, and takes the defect away.
func (r Runner) plant(ctx context.Context, dir string, m Mutant, p planted) (Verdict, string) {
	if err := p.copied.WriteFile(m.File, p.mutated, 0o600); err != nil {
		return Failed, err.Error()
	}
	var out string
	var buildErr, testErr error
	if path.Ext(m.File) == ".go" { // a test may build the gateway by itself
		out, buildErr = r.command(ctx, dir, r.Limit, "build", "-o", os.DevNull, "./"+path.Dir(m.File))
	}
	if buildErr == nil {
		out, testErr = r.test(ctx, dir, m)
	}
	if err := p.copied.WriteFile(m.File, p.original, 0o600); err != nil {
		return Failed, err.Error()
	}
	switch {
	case ctx.Err() != nil:
		return Left, context.Cause(ctx).Error()
	case buildErr != nil, strings.Contains(out, "[build failed]"), strings.Contains(out, "[setup failed]"):
		return Failed, "does not compile:\n" + out
	case testErr == nil:
		return Survived, ""
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

func (r Runner) test(ctx context.Context, dir string, m Mutant) (string, error) {
	limit, in := r.Limit, promises.Module(m.Dir)
	if in != "." {
		limit *= browserTime
	}
	of, err := filepath.Rel(in, m.Dir)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, filepath.FromSlash(in))
	return r.command(ctx, dir, limit, "test", "-count=1", "-vet=off", "-timeout", limit.String(), "-run", m.Test, "./"+filepath.ToSlash(of))
}

func (Runner) command(ctx context.Context, dir string, limit time.Duration, args ...string) (string, error) {
	// The test's own limit comes first, so that it can say where it hung.
	ctx, cancel := context.WithTimeout(ctx, 2*limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // arguments of our own list
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w", args[0], err)
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
