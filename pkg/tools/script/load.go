package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/pkg/sandbox"
	"parley/pkg/text"
	"parley/pkg/tools"
)

// maxFolders bounds the tools of one gateway.
const maxFolders = 256

// Options are the settings of the operator's own tools.
type Options struct {
	// Runner runs the programs.
	Runner sandbox.Runner
	// Timeout is the default of tools; 0: 30 s. MaxTimeout is the longest that a tool may
	// name; 0: 5 m.
	Timeout, MaxTimeout time.Duration
	// MaxOutput bounds a program's text for the model, in bytes, and again its text for
	// the person; 0: 64 KiB.
	MaxOutput int
	// Prepare makes a chat's space before a program runs in it; nil takes it as it is.
	Prepare func(space string) error
	// Outside is the folder of a space for received files: while it contains any, a
	// program's output counts as from outside. "" disables this.
	Outside string
}

func (o Options) filled() Options {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = 5 * time.Minute
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = 64 << 10
	}
	return o
}

// Entry is one folder: its tool, or the result of [tools.Broken] for a faulty one.
type Entry struct {
	Name string
	Tool tools.Tool
	// Enabled is false where tool.yaml says so.
	Enabled bool
}

// Names lists the folders of dir that may be tools, without a look into them.
func Names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if (e.IsDir() || e.Type()&fs.ModeSymlink != 0) && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// Load reads the tools in the folders of dir; a missing dir is empty. A faulty folder
// does not fail the others.
func Load(dir string, o Options) []Entry {
	o = o.filled()
	names := Names(dir)
	entries := make([]Entry, 0, len(names))
	for i, name := range names {
		e := Entry{Name: visible(name), Enabled: true}
		if i >= maxFolders {
			e.Tool = tools.Broken(e.Name, fmt.Errorf("more than %d tools are too many", maxFolders))
			entries = append(entries, e)
			continue
		}
		tool, err := load(filepath.Join(dir, name), o)
		if err != nil {
			e.Tool = tools.Broken(e.Name, err)
		} else {
			e.Tool, e.Enabled = tool, tool.manifest.Enabled
		}
		entries = append(entries, e)
	}
	return entries
}

// load makes the tool in a folder, or gives the reason against it in one line.
func load(dir string, o Options) (*Tool, error) {
	name := filepath.Base(dir)
	if !ValidName(name) {
		return nil, fmt.Errorf("the name %s is not 1 to 64 letters, digits, _ or -", quote(name))
	}
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Timeout > o.MaxTimeout {
		return nil, fmt.Errorf("%s: timeout %v is more than tools.scripts.max_timeout allows (%v)", manifestName, m.Timeout, o.MaxTimeout)
	}
	t := &Tool{manifest: m, dir: dir, options: o}
	if !m.Enabled { // further faults do not matter for a disabled tool
		return t, nil
	}
	if err := tools.NewToolRegistry().RegisterWith(t, tools.RegisterOptions{}); err != nil {
		return nil, fmt.Errorf("%s: parameters: %s", manifestName, oneLine(err.Error()))
	}
	if o.Runner == nil {
		return nil, errors.New("no sandbox is set up")
	}
	if err := o.Runner.Available(); err != nil {
		return nil, err
	}
	return t, nil
}

// oneLine makes a message of another library fit a line.
func oneLine(s string) string {
	return text.Clip(strings.Join(strings.Fields(s), " "), 400)
}
