package parley_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lower rewrites testdata/ceilings.txt: lower counts, and no row that is done. It
// raises and adds no row.
var lower = flag.Bool("lower", false, "lower the ceilings in "+ceilingsFile+" to the present counts")

const (
	ceilingsFile = "testdata/ceilings.txt"
	cure         = ceilingsFile + ", or run: go test . -run TestStyle -lower"
)

type ceiling struct{ kind, name string }

// keepCeilings compares the counts above their limits with the table of those that
// stand today. Each kind belongs to one test.
func keepCeilings(t *testing.T, found []size, kinds ...string) {
	t.Helper()
	text, err := os.ReadFile(ceilingsFile)
	if err != nil {
		t.Fatal(err)
	}
	table, err := parseCeilings(string(text))
	if err != nil {
		t.Fatal(err)
	}
	own := maps.Clone(table)
	maps.DeleteFunc(own, func(c ceiling, _ int) bool { return !slices.Contains(kinds, c.kind) })
	if *lower {
		lowerCeilings(t, found, own)
		return
	}
	for _, v := range ceilingViolations(found, own) {
		t.Error(v)
	}
}

func ceilingViolations(found []size, table map[ceiling]int) []string {
	var violations []string
	left := maps.Clone(table)
	for _, f := range found {
		c := ceiling{f.kind, f.name}
		was, known := table[c]
		delete(left, c)
		switch {
		case !known:
			violations = append(violations, fmt.Sprintf("%s %s: %d, more than %d", f.kind, f.name, f.count, f.limit))
		case f.count > was:
			violations = append(violations, fmt.Sprintf("%s %s: %d, more than its ceiling of %d, which only goes down",
				f.kind, f.name, f.count, was))
		case f.count < was:
			violations = append(violations, fmt.Sprintf("%s %s: %d is less than its ceiling of %d: lower it in %s",
				f.kind, f.name, f.count, was, cure))
		}
	}
	for _, c := range sortedCeilings(left) {
		violations = append(violations, fmt.Sprintf("%s %s: keeps its limit or is gone: take its row from %s", c.kind, c.name, cure))
	}
	return violations
}

func TestStyleCeilings(t *testing.T) {
	t.Parallel()
	a, b := size{"methods", "a", 30, 25}, size{"methods", "b", 30, 25}
	table := map[ceiling]int{{"methods", "a"}: 30, {"methods", "b"}: 30}
	for name, c := range map[string]struct {
		found []size
		want  string
	}{
		"as they are":  {[]size{a, b}, ""},
		"one grew":     {[]size{{"methods", "a", 31, 25}, b}, "methods a: 31, more than its ceiling of 30, which only goes down"},
		"one shrank":   {[]size{{"methods", "a", 29, 25}, b}, "methods a: 29 is less than its ceiling of 30: lower it in " + cure},
		"one is done":  {[]size{b}, "methods a: keeps its limit or is gone: take its row from " + cure},
		"one is new":   {[]size{a, b, {"methods", "c", 26, 25}}, "methods c: 26, more than 25"},
		"another kind": {[]size{a, b, {"fields", "a", 21, 20}}, "fields a: 21, more than 20"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(ceilingViolations(c.found, table), "\n"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestParseCeilings(t *testing.T) {
	t.Parallel()
	got, err := parseCeilings("# why\n\nmethods a.b 30\n\nlines c 1\n")
	want := map[ceiling]int{{"methods", "a.b"}: 30, {"lines", "c"}: 1}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(ceiling{})); diff != "" || err != nil {
		t.Errorf("%v; -want +got\n%s", err, diff)
	}
	for _, bad := range []string{"methods a\n", "methods a b\n", "methods a 30\nmethods a 31\n"} {
		if _, err := parseCeilings(bad); err == nil {
			t.Errorf("%q is read as a table", bad)
		}
	}
}

// parseCeilings reads rows of kind, name and count; # begins a comment.
func parseCeilings(text string) (map[ceiling]int, error) {
	table := map[ceiling]int{}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) != 3 {
			return nil, fmt.Errorf("%s:%d: want kind, name and count: %q", ceilingsFile, n+1, line)
		}
		count, err := strconv.Atoi(words[2])
		c := ceiling{words[0], words[1]}
		if _, twice := table[c]; err != nil || twice {
			return nil, fmt.Errorf("%s:%d: %q is no count, or a second one", ceilingsFile, n+1, line)
		}
		table[c] = count
	}
	return table, nil
}

// lowerCeilings rewrites the rows of own, line by line, so that comments stay.
func lowerCeilings(t *testing.T, found []size, own map[ceiling]int) {
	t.Helper()
	now := map[ceiling]int{}
	for _, f := range found {
		now[ceiling{f.kind, f.name}] = f.count
	}
	text, err := os.ReadFile(ceilingsFile)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.SplitSeq(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) != 3 {
			lines = append(lines, line)
			continue
		}
		c := ceiling{words[0], words[1]}
		was, mine := own[c]
		count, above := now[c]
		switch {
		case mine && above && count < was:
			line = fmt.Sprintf("%s %s %d", c.kind, c.name, count)
		case mine && !above:
			if last := len(lines) - 1; last >= 0 && lines[last] == "" {
				lines = lines[:last]
			}
			continue
		}
		lines = append(lines, line)
	}
	if err := os.WriteFile(filepath.FromSlash(ceilingsFile), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sortedCeilings(table map[ceiling]int) []ceiling {
	return slices.SortedFunc(maps.Keys(table), func(a, b ceiling) int {
		return strings.Compare(a.kind+" "+a.name, b.kind+" "+b.name)
	})
}
