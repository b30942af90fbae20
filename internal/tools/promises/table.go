package promises

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Root is the name by which the table speaks of the package in the module's root.
const Root = "parley"

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

// String writes the reference as the table does.
func (r Ref) String() string {
	if r.Dir == "." {
		return Root + "." + r.Name()
	}
	return r.Dir + "." + r.Name()
}

// Row is one promise.
type Row struct {
	ID, Promise string
	Tests       []Ref
	// Needs are the resources without which some of the tests skip.
	Needs []string
	Line  int
}

// Needs are the words that the table may use for what a test needs beyond the
// tree and the Go toolchain.
func Needs() []string { return []string{"corpora", "root", "linux", "tmux", "sandbox", "cgroup"} }

// The columns of a table of promises. A table with other columns is prose.
const (
	colID = iota
	colPromise
	colTests
	colNeeds
	columns
)

// Parse reads all tables of promises of a document. All that is wrong is reported together.
func Parse(doc io.Reader) ([]Row, error) {
	var (
		rows    []Row
		errs    []error
		inTable bool
		seen    = map[string]bool{}
	)
	lines := bufio.NewScanner(doc)
	for n := 1; lines.Scan(); n++ {
		cells := split(lines.Text())
		switch {
		case cells == nil:
			inTable = false
		case len(cells) == columns && cells[colTests] == "shown by":
			inTable = true
		case inTable && !strings.HasPrefix(cells[0], "---"):
			row, err := parseRow(cells, n)
			if err == nil && seen[row.ID] {
				err = fmt.Errorf("line %d: %s is here twice", n, row.ID)
			}
			seen[row.ID] = true
			rows, errs = append(rows, row), append(errs, err)
		}
	}
	if len(rows) == 0 {
		errs = append(errs, errors.New("no table with the columns row, promise, shown by, needs"))
	}
	return rows, errors.Join(append(errs, lines.Err())...)
}

// split gives the cells of a table's line, nil for any other line.
func split(line string) []string {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil
	}
	cells := strings.Split(line[1:len(line)-1], "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

func parseRow(cells []string, line int) (Row, error) {
	if len(cells) != columns {
		return Row{}, fmt.Errorf("line %d: %d cells, not %d", line, len(cells), columns)
	}
	row := Row{ID: cells[colID], Promise: cells[colPromise], Line: line}
	var errs []error
	for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(cells[colTests], -1) {
		ref, err := parseRef(m[1])
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %s: %w", line, row.ID, err))
			continue
		}
		row.Tests = append(row.Tests, ref)
	}
	if len(row.Tests) == 0 {
		errs = append(errs, fmt.Errorf("line %d: %s names no test", line, row.ID))
	}
	for need := range strings.SplitSeq(cells[colNeeds], ",") {
		need = strings.TrimSpace(need)
		if need == "" {
			continue
		}
		if !slices.Contains(Needs(), need) {
			errs = append(errs, fmt.Errorf("line %d: %s needs %q, which nothing can check", line, row.ID, need))
		}
		row.Needs = append(row.Needs, need)
	}
	return row, errors.Join(errs...)
}

func parseRef(s string) (Ref, error) {
	m := regexp.MustCompile(`^([a-z0-9_/]+)\.((?:Test|Fuzz|Example)\w*)(?:/(.+))?$`).FindStringSubmatch(s)
	if m == nil {
		return Ref{}, fmt.Errorf("`%s` is not folder.TestName", s)
	}
	if m[1] == Root {
		m[1] = "."
	}
	return Ref{Dir: m[1], Test: m[2], Sub: m[3]}, nil
}
