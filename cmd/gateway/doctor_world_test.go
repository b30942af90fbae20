package main_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// finding is one of doctor's.
type finding struct{ Check, Verdict, Found, Cure string }

// diagnosis is doctor's report.
type diagnosis struct {
	OK, Warn, Fail, Skip int
	Checks               []finding
}

// hiddenKey is a secret of broken set-ups, which no report may hold.
const hiddenKey = "sk-7Q2xVb9LkTz4WmR8"

// doctor runs the command on the set-up, and holds the report against its rules: the exit
// code fits, each fault has a cure, no secret and no control character is in it, and no file
// of the state has changed.
func (w *world) doctor(args ...string) diagnosis {
	w.t.Helper()
	return w.doctorBy(w.run, args...)
}

func (w *world) doctorBy(run func(args ...string) (stdout, stderr string, code int), args ...string) diagnosis {
	w.t.Helper()
	before := w.stateFiles()
	out, stderr, code := run(append([]string{"doctor", "--json"}, args...)...)
	return w.judge(out, stderr, code, before)
}

func (w *world) judge(out, stderr string, code int, before []string) diagnosis {
	w.t.Helper()
	var d diagnosis
	if err := json.Unmarshal([]byte(out), &d); err != nil || stderr != "" {
		w.t.Fatalf("doctor ends with %d and prints %s%s: %v", code, out, stderr, err)
	}
	want := 0
	if d.Fail > 0 {
		want = 5
	}
	if code != want || len(d.Checks) != d.OK+d.Warn+d.Fail+d.Skip || len(d.Checks) == 0 {
		w.t.Errorf("doctor ends with %d, want %d: %s", code, want, out)
	}
	for _, f := range d.Checks {
		bad := f.Verdict == "warn" || f.Verdict == "fail"
		if bad != (f.Cure != "") || f.Check == "" || f.Found == "" {
			w.t.Errorf("%+v", f)
		}
		if strings.ContainsFunc(f.Check+f.Found+f.Cure, func(r rune) bool { return r == '\n' || r == '\r' }) {
			w.t.Errorf("%+v is no line", f)
		}
	}
	secrets := []string{hiddenKey}
	for _, variable := range w.env {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "SECRET_") {
			_, rest, _ := strings.Cut(value, ":")
			secrets = append(secrets, value, rest)
		}
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(out, secret) {
			w.t.Errorf("the secret %s is in %s", secret, out)
		}
	}
	if strings.ContainsFunc(strings.TrimSpace(out), unicode.IsControl) {
		w.t.Errorf("a control character is in %q", out)
	}
	if diff := cmp.Diff(before, w.stateFiles()); diff != "" && before != nil {
		w.t.Errorf("the state has changed: -before +after\n%s", diff)
	}
	return d
}

// stateFiles are the files of the state with their times, as far as they can be seen; nil
// where a gateway works on them.
func (w *world) stateFiles() []string {
	all := []string{}
	root := filepath.Join(w.dir, "state")
	if _, err := os.Lstat(w.socket()); err == nil {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be seen is left out
		}
		if info, err := d.Info(); err == nil {
			all = append(all, fmt.Sprint(path, info.Mode(), info.Size(), info.ModTime()))
		}
		return nil
	})
	return all
}

// has says whether a report has a finding of a check with this verdict, in whose texts the
// two parts are.
func (d *diagnosis) has(want finding) bool {
	for _, f := range d.Checks {
		if f.Check == want.Check && f.Verdict == want.Verdict && strings.Contains(f.Found, want.Found) && strings.Contains(f.Cure, want.Cure) {
			return true
		}
	}
	return false
}

// write writes the configuration of the world, its state in the folder state.
func (w *world) write(text string) {
	w.t.Helper()
	w.file("parley.yaml", "state_dir: state\n"+text, 0o600)
}

// file writes a file below the folder of the world.
func (w *world) file(name, text string, mode os.FileMode) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		w.t.Fatal(err)
	}
}

// setup is a broken set-up, and the finding that names its fault and its cure.
type setup struct {
	// breaks makes the set-up.
	breaks func(t *testing.T, w *world)
	// bare runs doctor without root's right to pass by the modes of files.
	bare bool
	args []string
	want finding
}

// diagnose breaks each set-up, and looks for its finding.
func diagnose(t *testing.T, setups map[string]setup) {
	t.Helper()
	for name, c := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			if c.breaks != nil {
				c.breaks(t, w)
			}
			run := w.run
			if c.bare {
				run = w.bare
			}
			if d := w.doctorBy(run, c.args...); !d.has(c.want) {
				t.Errorf("no %+v in\n%+v", c.want, d)
			}
		})
	}
}
