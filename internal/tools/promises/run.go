package promises

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output, FailedBuild string

	Elapsed float64
}

// Later is the reason with which a test skips under -short: `make check` runs it.
const Later = "left to make check"

// Run is the result of a test run.
type Run struct {
	// Failed are the packages that failed.
	Failed []string
	// outcome is pass, fail or skip by package and test.
	outcome map[testID]string
	reason  map[testID]string
	took    map[testID]float64 // in seconds
	output  map[testID][]byte
	out     io.Writer
}

type testID struct{ pkg, test string }

// Read takes the output of go test -json and writes to out the lines of a plain go
// test. Another stream, or one in which no package ended, is an error.
func Read(stream io.Reader, out io.Writer) (*Run, error) {
	r := &Run{
		outcome: map[testID]string{}, reason: map[testID]string{}, took: map[testID]float64{},
		output: map[testID][]byte{}, out: out,
	}
	dec := json.NewDecoder(stream)
	for {
		var e event
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the test run: %w", err)
		}
		if err := r.add(e); err != nil {
			return nil, fmt.Errorf("write the test run: %w", err)
		}
	}
	for id := range r.outcome {
		if id.test == "" {
			return r, nil
		}
	}
	return nil, errors.New("no package was tested")
}

func (r *Run) add(e event) error {
	id := testID{e.Package, e.Test}
	var err error
	switch e.Action {
	case "build-output":
		_, err = io.WriteString(r.out, e.Output)
	case "output":
		r.output[id] = append(r.output[id], e.Output...)
	case "pass", "fail", "skip":
		r.outcome[id], r.took[id] = e.Action, e.Elapsed
		err = r.end(id, e.Action)
	}
	return err
}

// end is the end of a test or, with no test's name, of a package.
func (r *Run) end(id testID, action string) error {
	text := string(r.output[id])
	delete(r.output, id)
	if id.test != "" {
		if action == "skip" {
			r.reason[id] = skipReason(text)
		}
		if action != "fail" {
			return nil
		}
		_, err := io.WriteString(r.out, text)
		return err
	}
	if action == "fail" {
		r.Failed = append(r.Failed, id.pkg)
		// A process that died has tests without an end.
		for open, b := range r.output {
			if open.pkg == id.pkg {
				text = string(b) + text
				delete(r.output, open)
			}
		}
	}
	_, err := io.WriteString(r.out, strings.TrimPrefix(text, "PASS\n"))
	return err
}

func skipReason(output string) string {
	lines := regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`).FindAllStringSubmatch(output, -1)
	if len(lines) == 0 {
		return "no reason given"
	}
	return lines[len(lines)-1][1]
}

// State is a run's verdict on a promise.
type State string

// The states, from good to bad.
const (
	Shown  State = "shown"
	Left   State = Later
	NotRun State = "not run"
	Broken State = "BROKEN"
)

// Judge gives the worst state of a row's tests, and the reasons of those that have it.
func (r *Run) Judge(row *Row) (state State, why []string) {
	states := []State{Shown, Left, NotRun, Broken}
	state = Shown
	for _, ref := range row.Tests {
		s, reason := r.state(ref)
		switch slices.Index(states, s) - slices.Index(states, state) {
		case 0:
			why = append(why, reason)
		case 1, 2, 3:
			state, why = s, []string{reason}
		}
	}
	if state == Shown {
		why = nil
	}
	return state, why
}

func (r *Run) state(ref Ref) (state State, why string) {
	id := testID{ref.Package(), ref.Name()}
	switch r.outcome[id] {
	case "fail":
		return Broken, ref.String() + " failed"
	case "skip":
		if r.reason[id] == Later {
			return Left, ref.String()
		}
		return NotRun, fmt.Sprintf("%s: %s", ref, r.reason[id])
	case "":
		if parent := (testID{id.pkg, ref.Test}); r.outcome[parent] == "skip" && r.reason[parent] == Later {
			return Left, ref.String()
		}
		return Broken, ref.String() + " was not in this run"
	}
	state = Shown
	var skipped []string
	for sub, reason := range r.reason {
		switch {
		case sub.pkg != id.pkg || !strings.HasPrefix(sub.test, id.test+"/"):
		case reason == Later && state == Shown:
			state, why = Left, ref.String()
		case reason != Later:
			skipped = append(skipped, sub.test+": "+reason)
		}
	}
	if len(skipped) == 0 {
		return state, why
	}
	slices.Sort(skipped)
	return NotRun, strings.Join(skipped, "; ")
}

// Within are the rows with a test in a module that was run, and these tests alone; elsewhere is the
// number of the others.
func (r *Run) Within(rows []Row) (in []Row, elsewhere int) {
	modules := map[string]bool{}
	for id := range r.outcome {
		if id.test == "" {
			modules[Module(strings.TrimPrefix(id.pkg, Root+"/"))] = true
		}
	}
	for i := range rows {
		row := rows[i]
		row.Tests = slices.DeleteFunc(slices.Clone(row.Tests), func(ref Ref) bool { return !modules[Module(ref.Dir)] })
		if len(row.Tests) == 0 {
			elsewhere++
			continue
		}
		in = append(in, row)
	}
	return in, elsewhere
}

// slowest is how many tests and packages Report names as the slowest.
const slowest = 8

// Report prints the slowest tests and packages, the rows that the run did not show, and
// the counts. It gives an error for each failed package, each broken row and each row
// that was not run although lacks finds all of its needs here. A row that is left to
// make check, or to the run of another module, is counted only.
func (r *Run) Report(w io.Writer, rows []Row, lacks func(need string) bool) error {
	var text strings.Builder
	text.WriteString(r.slowest())
	var errs []error
	count := map[State]int{}
	in, elsewhere := r.Within(rows)
	for i := range in {
		row := &in[i]
		state, why := r.Judge(row)
		count[state]++
		if state == Shown || state == Left {
			continue
		}
		fmt.Fprintf(&text, "promise %s *%s*: %s\n", row.ID, state, strings.Join(why, "\n    "))
		switch {
		case state == Broken:
			errs = append(errs, fmt.Errorf("promise %s is broken", row.ID))
		case !slices.ContainsFunc(row.Needs, lacks):
			errs = append(errs, fmt.Errorf("promise %s was not run, although nothing that it needs is missing here", row.ID))
		}
	}
	fmt.Fprintf(&text, "promises: %d shown, ", count[Shown])
	if count[Left] > 0 {
		fmt.Fprintf(&text, "%d left to make check, ", count[Left])
	}
	fmt.Fprintf(&text, "%d not run, %d broken", count[NotRun], count[Broken])
	if elsewhere > 0 {
		fmt.Fprintf(&text, "; %d have tests of another module alone", elsewhere)
	}
	text.WriteString("\n")
	for _, pkg := range r.Failed {
		errs = append(errs, fmt.Errorf("tests of %s failed", pkg))
	}
	_, err := io.WriteString(w, text.String())
	return errors.Join(append(errs, err)...)
}

// slowest names the packages and the tests without subtests that took longest. The
// tests of a package wait for each other, so their times do not add up.
func (r *Run) slowest() string {
	var pkgs, tests []testID
	for id := range r.took {
		switch {
		case id.test == "":
			pkgs = append(pkgs, id)
		case !strings.Contains(id.test, "/"):
			tests = append(tests, id)
		}
	}
	var text strings.Builder
	for _, list := range []struct {
		kind string
		ids  []testID
	}{{"packages", pkgs}, {"tests", tests}} {
		ids := list.ids
		slices.SortFunc(ids, func(a, b testID) int {
			return cmp.Or(cmp.Compare(r.took[b], r.took[a]), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
		})
		fmt.Fprintf(&text, "slowest %s:", list.kind)
		for _, id := range ids[:min(slowest, len(ids))] {
			fmt.Fprintf(&text, " %s %.1f s,", strings.TrimSuffix(strings.TrimPrefix(id.pkg, Root+"/")+"."+id.test, "."), r.took[id])
		}
		text.WriteString("\n")
	}
	return strings.ReplaceAll(text.String(), ",\n", "\n")
}
