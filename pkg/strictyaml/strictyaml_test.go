package strictyaml_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/pkg/strictyaml"
)

// tool is a document with each kind of value.
type tool struct {
	Name   string         `yaml:"name"`
	About  string         `yaml:"about" text:"lines"`
	Level  string         `yaml:"level" jsonschema:"enum=read,enum=write"`
	Count  int            `yaml:"count" jsonschema:"minimum=1,maximum=9"`
	Time   time.Duration  `yaml:"time" min:"1s"`
	Tags   []string       `yaml:"tags"`
	Any    map[string]any `yaml:"any" text:"lines"`
	Limits *limits        `yaml:"limits"`
}

type limits struct {
	Size int `yaml:"size"`
	Rows int `yaml:"rows"`
}

// SetDefaults implements [strictyaml.Defaulter].
func (l *limits) SetDefaults() { l.Rows = 7 }

func read(t *testing.T, text string) (tool, []string) {
	t.Helper()
	var v tool
	w := &strictyaml.Walker{File: "f", MaxDepth: 4}
	root, problem := strictyaml.Parse(text, 20)
	if problem != nil {
		problem.File = "f"
		return v, []string{problem.String()}
	}
	w.Walk(root, &v)
	var lines []string
	if e, ok := errors.AsType[*strictyaml.Error](w.Err()); ok {
		lines = strings.Split(e.Error(), "\n")
	}
	return v, lines
}

func TestWalk(t *testing.T) {
	t.Parallel()
	got, problems := read(t, "name: a\nabout: |\n  one\n  two\nlevel: read\ncount: 9\ntime: 90s\ntags: [x, y]\n"+
		"any: {n: 1, f: 1.50, big: 9007199254740993, list: [true, ~]}\nlimits: {size: 3}\n")
	if problems != nil {
		t.Errorf("problems: %q", problems)
	}
	if got.About != "one\ntwo\n" || got.Time != 90*time.Second || got.Count != 9 || len(got.Tags) != 2 || got.Any["n"] != 1 {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(limits{Size: 3, Rows: 7}, *got.Limits); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if empty, problems := read(t, "# a comment\n"); problems != nil || empty.Limits != nil {
		t.Errorf("an empty document: %+v, %q", empty, problems)
	}
}

func TestWalkListsAllProblems(t *testing.T) {
	t.Parallel()
	_, problems := read(t, "naem: a\nname: 5\nlevel: root\ncount: 10\ntime: 5ms\ntags: [x, x]\nlevel: read\nlimits: 3\n\"a\\eb\": 1\n")
	want := []string{
		"f:1:1: naem: unknown key: did you mean name?",
		"f:2:7: name: must be a text, not a number: put it in quotes",
		`f:3:8: level: "root" is not understood: write one of read, write`,
		"f:4:8: count: 10 is out of range: write a number from 1 to 9",
		"f:5:7: time: 5ms is too short: write a time span of at least 1s",
		"f:6:11: tags[1]: is in this list already, as entry 1: keep one",
		"f:7:1: level: is written twice, first in line 3: keep one",
		"f:8:9: limits: must be a block of keys (rows, size), not a number",
		`f:9:1: "a\x1bb": unknown key: `,
	}
	if len(problems) != len(want) {
		t.Fatalf("%d problems: %q", len(problems), problems)
	}
	for i := range want {
		if !strings.HasPrefix(problems[i], want[i]) {
			t.Errorf("%q, want %q", problems[i], want[i])
		}
	}
}

func TestRefusedDocuments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"not YAML":      {"name: \"a\n", "f:1:7: this is not YAML"},
		"not UTF-8":     {"name: \xff\n", "f: is not text in UTF-8"},
		"two documents": {"name: a\n---\nname: b\n", "f:3:5: a second document starts here"},
		"brackets":      {"name: " + strings.Repeat("[", 10_000), "f:1:26: it is nested more than 20 levels deep"},
		"anchor":        {"name: &a b\n", "f:1:7: name: anchors, aliases and tags are not understood here"},
		"deep keys":     {"any: {a: {b: {c: {d: {e: 1}}}}}\n", "any.a.b.c.d.e: is nested too deeply"},
		"invisible":     {"name: \"a\\u200bb\"\n", "name: holds the character U+200B"},
		"many keys":     {strings.Repeat("a: 1\n", 4001), "one block has more than 4000 keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := read(t, c.text)
			if len(problems) == 0 || !strings.Contains(problems[0], c.want) {
				t.Errorf("%q, want %q", problems, c.want)
			}
		})
	}
}
