package terminal_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/rig"
	"parley/internal/test/terminal"
)

// parley is the program that the tests run.
var parley *rig.Binary

// TestMain builds the program once.
func TestMain(m *testing.M) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*terminal.Patience)
	defer cancel()
	parley = rig.BuildForTests(ctx)
	defer parley.Remove()
	m.Run() // TestMain passes the result on when it returns
}

// world is a configuration with its folder.
type world struct {
	t   *testing.T
	dir string
}

// newWorld writes a configuration with a model; nil is the offline model.
func newWorld(t *testing.T, m *model) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	kind := "{provider: offline}"
	if m != nil {
		kind = fmt.Sprintf("{model: m, base_url: %q}", m.URL+"/v1")
	}
	w.write("parley.yaml", "state_dir: state\nmodels: {main: "+kind+"}\n")
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// chat opens a console that is ready for a line.
func (w *world) chat(o terminal.Options, flags ...string) *terminal.Terminal {
	w.t.Helper()
	s := w.start(o, append([]string{"chat"}, flags...)...)
	s.Shows(ready)
	return s
}

// start runs a command of the program in a terminal.
func (w *world) start(o terminal.Options, words ...string) *terminal.Terminal {
	w.t.Helper()
	path, err := parley.Path()
	if err != nil {
		w.t.Fatal(err)
	}
	o.Dir = w.dir
	return terminal.Start(w.t, o, path+" "+strings.Join(words, " ")+" --config parley.yaml")
}

// ready stands below the line of a new console.
const ready = "Enter sends · Alt-Enter: new line"

// read is a file of the chat's space, "" where it is missing.
func (w *world) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "state", "workspace", "home", name))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(b)
}
