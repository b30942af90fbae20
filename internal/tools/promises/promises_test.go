package promises_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tools/promises"
)

const head = "parts:\n- title: Map\n  why: So that it holds.\n  promises:\n"

func TestParse(t *testing.T) {
	t.Parallel()
	doc := head +
		"  - id: R1\n    promise: \"kept: always\"\n    why: People rely on it.\n    tests: [pkg/a.TestOne, parley.TestTwo/sub case]\n" +
		"- title: Cases\n  why: They differ.\n  about: Two lines.\n  begin: It holds when\n  promises:\n" +
		"  - id: R2\n    promise: kept too\n    why: One case is hard.\n    tests:\n    - pkg/a.FuzzThree\n    needs: [corpora, linux]\n"
	got, err := promises.Parse(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	first := promises.Row{
		ID: "R1", Promise: "kept: always", Why: "People rely on it.",
		Tests: []promises.Ref{{Dir: "pkg/a", Test: "TestOne"}, {Dir: ".", Test: "TestTwo", Sub: "sub case"}},
	}
	second := promises.Row{
		ID: "R2", Promise: "kept too", Why: "One case is hard.",
		Tests: []promises.Ref{{Dir: "pkg/a", Test: "FuzzThree"}}, Needs: []string{"corpora", "linux"},
	}
	want := []promises.Part{
		{Title: "Map", Why: "So that it holds.", Rows: []promises.Row{first}},
		{Title: "Cases", Why: "They differ.", About: "Two lines.", Begin: "It holds when", Rows: []promises.Row{second}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]promises.Row{first, second}, promises.Rows(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	_, page, _ := strings.Cut(promises.Write(got, map[string]int{"R1": 2}), "\n## ")
	const wantPage = "Map\n\nSo that it holds.\n\n" +
		"- **R1**: kept: always *People rely on it.*\n  Shown by 2 tests in a, the root, and by 2 planted defects.\n" +
		"\n## Cases\n\nThey differ.\n\nTwo lines.\n\n" +
		"- **R2**: It holds when kept too. *One case is hard.*\n  Shown by one test in a; needs corpora, linux.\n"
	if diff := cmp.Diff(wantPage, page); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const r1 = "  - {id: R1, promise: kept, why: Needed., tests: [pkg/a.TestOne]}\n"
	const r2 = "  - {id: R2, promise: kept too, why: Needed., tests: [pkg/a.TestTwo]}\n"
	for name, c := range map[string]struct{ doc, err string }{
		"no promise":   {"parts: []\n", "no promise"},
		"no file":      {"", "no promise"},
		"no test":      {head + "  - {id: R1, promise: kept}\n", "R1 names no test"},
		"no text":      {head + "  - {id: R1, tests: [pkg/a.TestOne]}\n", "no id or no text"},
		"no why":       {head + "  - {id: R1, promise: kept, tests: [pkg/a.TestOne]}\n", "R1 has no why"},
		"half a why":   {head + "  - {id: R1, promise: kept, why: needed, tests: [pkg/a.TestOne]}\n", "R1 has no why"},
		"a common why": {head + r1 + r2, "R2 has the why of another promise"},
		"a bare part":  {"parts:\n- title: Map\n  promises:\n" + r1, "no title or no why"},
		"a bad name":   {head + "  - {id: R1, promise: kept, tests: [pkg/a.Check]}\n", "is not folder.TestName"},
		"unknown need": {head + "  - {id: R1, promise: kept, tests: [pkg/a.TestOne], needs: [luck]}\n", `needs "luck"`},
		"unknown key":  {head + "  - {id: R1, promise: kept, test: pkg/a.TestOne}\n", "unknown field"},
		"twice":        {head + r1 + r1, "R1 is here twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := promises.Parse(strings.NewReader(c.doc)); err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got error %v, want one with %q", err, c.err)
			}
		})
	}
}

const stream = `
{"Action":"start","Package":"parley/pkg/a"}
{"Action":"output","Package":"parley/pkg/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"pass","Package":"parley/pkg/a","Test":"TestGood"}
{"Action":"output","Package":"parley/pkg/a","Test":"TestSkipped","Output":"    a_test.go:9: needs a disk\n"}
{"Action":"skip","Package":"parley/pkg/a","Test":"TestSkipped"}
{"Action":"output","Package":"parley/pkg/a","Test":"TestPart/b","Output":"    a_test.go:12: needs a cable\n"}
{"Action":"skip","Package":"parley/pkg/a","Test":"TestPart/b"}
{"Action":"pass","Package":"parley/pkg/a","Test":"TestPart"}
{"Action":"output","Package":"parley/pkg/a","Test":"TestLater","Output":"    a_test.go:15: left to make check\n"}
{"Action":"skip","Package":"parley/pkg/a","Test":"TestLater"}
{"Action":"output","Package":"parley/pkg/a","Test":"TestMostly/b","Output":"    a_test.go:17: left to make check\n"}
{"Action":"skip","Package":"parley/pkg/a","Test":"TestMostly/b"}
{"Action":"pass","Package":"parley/pkg/a","Test":"TestMostly","Elapsed":2.5}
{"Action":"output","Package":"parley/pkg/a","Test":"TestBad","Output":"    a_test.go:20: one is not two\n"}
{"Action":"fail","Package":"parley/pkg/a","Test":"TestBad"}
{"Action":"output","Package":"parley/pkg/a","Output":"FAIL\tparley/pkg/a\t0.1s\n"}
{"Action":"fail","Package":"parley/pkg/a"}
`

func TestJudge(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	run, err := promises.Read(strings.NewReader(stream), &out)
	if err != nil {
		t.Fatal(err)
	}
	if want := "    a_test.go:20: one is not two\nFAIL\tparley/pkg/a\t0.1s\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
	if diff := cmp.Diff([]string{"parley/pkg/a"}, run.Failed); diff != "" {
		t.Errorf("failed packages: -want +got\n%s", diff)
	}
	for test, want := range map[string]struct {
		state promises.State
		why   []string
	}{
		"TestLater/x": {promises.Left, []string{"pkg/a.TestLater/x"}},
		"TestGood/x":  {promises.Broken, []string{"pkg/a.TestGood/x was not in this run"}},
		"TestGood":    {promises.Shown, nil},
		"TestSkipped": {promises.NotRun, []string{"pkg/a.TestSkipped: needs a disk"}},
		"TestPart":    {promises.NotRun, []string{"TestPart/b: needs a cable"}},
		"TestLater":   {promises.Left, []string{"pkg/a.TestLater"}},
		"TestMostly":  {promises.Left, []string{"pkg/a.TestMostly"}},
		"TestBad":     {promises.Broken, []string{"pkg/a.TestBad failed"}},
		"TestAbsent":  {promises.Broken, []string{"pkg/a.TestAbsent was not in this run"}},
	} {
		name, sub, _ := strings.Cut(test, "/")
		row := promises.Row{ID: test, Tests: []promises.Ref{{Dir: "pkg/a", Test: "TestGood"}, {Dir: "pkg/a", Test: name, Sub: sub}}}
		state, why := run.Judge(&row)
		if state != want.state {
			t.Errorf("%s: %q, want %q", test, state, want.state)
		}
		if diff := cmp.Diff(want.why, why); diff != "" {
			t.Errorf("%s: -want +got\n%s", test, diff)
		}
	}
}

// TestWithin: a run judges the tests of its own module alone.
func TestWithin(t *testing.T) {
	t.Parallel()
	inMain, inBrowser := promises.Ref{Dir: "pkg/a", Test: "TestGood"}, promises.Ref{Dir: "internal/test/browser", Test: "TestPage"}
	rows := []promises.Row{
		{ID: "main", Tests: []promises.Ref{inMain}},
		{ID: "browser", Tests: []promises.Ref{inBrowser}},
		{ID: "both", Tests: []promises.Ref{inMain, inBrowser}},
	}
	for stream, want := range map[string][]promises.Row{
		`{"Action":"pass","Package":"parley/pkg/a"}`:                 {rows[0], {ID: "both", Tests: []promises.Ref{inMain}}},
		`{"Action":"pass","Package":"parley"}`:                       {rows[0], {ID: "both", Tests: []promises.Ref{inMain}}},
		`{"Action":"pass","Package":"parley/internal/test/browser"}`: {rows[1], {ID: "both", Tests: []promises.Ref{inBrowser}}},
	} {
		run, err := promises.Read(strings.NewReader(stream), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		in, elsewhere := run.Within(rows)
		if diff := cmp.Diff(want, in); diff != "" || elsewhere != 1 {
			t.Errorf("%s: %d elsewhere, -want +got\n%s", stream, elsewhere, diff)
		}
	}
}

func TestReadRefusesWhatIsNoRun(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "not JSON", `{"Action":"pass","Package":"parley/pkg/a","Test":"TestGood"}`} {
		if _, err := promises.Read(strings.NewReader(in), &bytes.Buffer{}); err == nil {
			t.Errorf("Read(%q) gave no error", in)
		}
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	const skipped = `
{"Action":"output","Package":"parley/pkg/a","Test":"TestSkipped","Output":"    a_test.go:9: needs a disk\n"}
{"Action":"skip","Package":"parley/pkg/a","Test":"TestSkipped"}
{"Action":"pass","Package":"parley/pkg/a"}`
	lacksNothing := func(string) bool { return false }
	lacksAll := func(string) bool { return true }
	for name, c := range map[string]struct {
		stream, test string
		needs        []string
		lacks        func(string) bool
		err          string
	}{
		"need is missing":      {skipped, "TestSkipped", []string{"root"}, lacksAll, ""},
		"need is here":         {skipped, "TestSkipped", []string{"root"}, lacksNothing, "was not run"},
		"skipped without need": {skipped, "TestSkipped", nil, lacksAll, "was not run"},
		"left to make check":   {stream, "TestLater", nil, lacksNothing, "tests of parley/pkg/a failed"},
		"broken":               {skipped, "TestAbsent", nil, lacksAll, "promise R1 is broken"},
		"another test failed":  {stream, "TestGood", nil, lacksAll, "tests of parley/pkg/a failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, err := promises.Read(strings.NewReader(c.stream), &bytes.Buffer{})
			if err != nil {
				t.Fatal(err)
			}
			rows := []promises.Row{{ID: "R1", Needs: c.needs, Tests: []promises.Ref{{Dir: "pkg/a", Test: c.test}}}}
			var out bytes.Buffer
			err = run.Report(&out, rows, c.lacks)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("got error %v, want one with %q", err, c.err)
			}
			if c.test == "TestLater" && strings.Contains(out.String(), "promise R1") {
				t.Errorf("wrote %q, which names a row that is left to make check", out.String())
			}
			if c.stream == stream && !strings.Contains(out.String(), "slowest tests: pkg/a.TestMostly 2.5 s, ") {
				t.Errorf("wrote %q, which does not name the slowest test first", out.String())
			}
			if c.test == "TestSkipped" && !strings.Contains(out.String(), "promise R1 *not run*: pkg/a.TestSkipped: needs a disk") {
				t.Errorf("wrote %q, which does not say why R1 was not run", out.String())
			}
		})
	}
}
