package promises

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// File holds the promises, and Page is made from it for people; both are named from
// the module's root.
const (
	File = "docs/promises.yaml"
	Page = "docs/promises.md"
)

// Root is the name by which the file speaks of the package in the module's root.
const Root = "parley"

// Module is the folder of the module that a folder belongs to: "." but for the tests that have a
// module of their own, which `make` runs under the name of its folder.
func Module(dir string) string {
	const browser = "internal/test/browser"
	if dir == browser || strings.HasPrefix(dir, browser+"/") {
		return browser
	}
	return "."
}

// Ref names a test.
type Ref struct {
	// Dir is the package's folder below the module's root, "." for the root itself.
	Dir string
	// Test is the test function's name, Sub the subtest's path below it, mostly empty.
	Test, Sub string
}

// Package is the import path.
func (r Ref) Package() string {
	if r.Dir == "." {
		return Root
	}
	return Root + "/" + r.Dir
}

// Name is the test's full name, as go test prints it.
func (r Ref) Name() string {
	if r.Sub == "" {
		return r.Test
	}
	return r.Test + "/" + r.Sub
}

// String writes the reference as the file does.
func (r Ref) String() string {
	if r.Dir == "." {
		return Root + "." + r.Name()
	}
	return r.Dir + "." + r.Name()
}

// Part is a group of promises.
type Part struct {
	// Title heads the part; Why is one sentence on the reason for its promises.
	Title, Why string
	// About, which may be empty, is one more paragraph before them.
	About string
	// Begin, which may be empty, begins the sentence of each of them.
	Begin string
	Rows  []Row
}

// Row is one promise.
type Row struct {
	ID, Promise string
	// Why is one sentence on the reason for this promise, different from all others.
	Why   string
	Tests []Ref
	// Needs are the resources without which some of the tests skip.
	Needs []string
}

// Needs are the words that the file may use for the resources that a test needs
// beyond the tree and the Go toolchain.
func Needs() []string {
	return []string{"corpora", "root", "linux", "tmux", "sandbox", "cgroup", "chromium", "npm"}
}

// Rows are the promises of all parts, in order.
func Rows(parts []Part) []Row {
	var all []Row
	for i := range parts {
		all = append(all, parts[i].Rows...)
	}
	return all
}

// file is the YAML of [File].
type file struct {
	Parts []struct {
		Title, Why, About, Begin string
		Promises                 []struct {
			ID, Promise, Why string
			Tests, Needs     []string
		}
	}
}

// Parse reads the file. All that is wrong with its promises is reported together.
func Parse(doc io.Reader) ([]Part, error) {
	var f file
	if err := yaml.NewDecoder(doc, yaml.Strict()).Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var (
		parts []Part
		errs  []error
		seen  = map[string]bool{} // ids and whys
	)
	for _, p := range f.Parts {
		part := Part{Title: p.Title, Why: p.Why, About: p.About, Begin: p.Begin}
		if p.Title == "" || p.Why == "" {
			errs = append(errs, fmt.Errorf("the part %q has no title or no why", p.Title))
		}
		for _, one := range p.Promises {
			row := Row{ID: one.ID, Promise: one.Promise, Why: one.Why, Needs: one.Needs}
			var err error
			row.Tests, err = parseRefs(row.ID, one.Tests)
			errs = append(errs, err, row.check(seen))
			seen[row.ID], seen[row.Why] = true, true
			part.Rows = append(part.Rows, row)
		}
		parts = append(parts, part)
	}
	if len(seen) == 0 {
		errs = append(errs, errors.New("no promise"))
	}
	return parts, errors.Join(errs...)
}

// check reports the errors of a row; seen holds the ids and whys of those before it.
func (r *Row) check(seen map[string]bool) error {
	var errs []error
	switch {
	case r.ID == "" || r.Promise == "":
		errs = append(errs, fmt.Errorf("the promise %q %q has no id or no text", r.ID, r.Promise))
	case seen[r.ID]:
		errs = append(errs, fmt.Errorf("%s is here twice", r.ID))
	case !strings.HasSuffix(r.Why, "."):
		errs = append(errs, fmt.Errorf("%s has no why: write a sentence with the reason for it", r.ID))
	case seen[r.Why]:
		errs = append(errs, fmt.Errorf("%s has the why of another promise: write its own reason", r.ID))
	}
	for _, need := range r.Needs {
		if !slices.Contains(Needs(), need) {
			errs = append(errs, fmt.Errorf("%s needs %q: write one of %v", r.ID, need, Needs()))
		}
	}
	return errors.Join(errs...)
}

func parseRefs(id string, names []string) ([]Ref, error) {
	var refs []Ref
	var errs []error
	for _, name := range names {
		ref, err := parseRef(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", id, err))
			continue
		}
		refs = append(refs, ref)
	}
	if len(names) == 0 {
		errs = append(errs, fmt.Errorf("%s names no test", id))
	}
	return refs, errors.Join(errs...)
}

func parseRef(s string) (Ref, error) {
	m := regexp.MustCompile(`^([a-z0-9_/]+)\.((?:Test|Fuzz|Example)\w*)(?:/(.+))?$`).FindStringSubmatch(s)
	if m == nil {
		return Ref{}, fmt.Errorf("%q is not folder.TestName", s)
	}
	if m[1] == Root {
		m[1] = "."
	}
	return Ref{Dir: m[1], Test: m[2], Sub: m[3]}, nil
}
