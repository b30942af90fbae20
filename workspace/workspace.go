package workspace

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

//go:embed operator space
var initial embed.FS

const (
	dirMode     = 0o700
	fileMode    = 0o600
	programMode = 0o700
)

// Tools is the folder of the workspace that holds the operator's own tools.
const Tools = "tools"

// Agent is the operator's file with the system prompt.
const Agent = "AGENT.md"

// Begun says whether the workspace at dir has been prepared before. From then on a
// file that is missing was taken away.
func Begun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "skills"))
	return err == nil
}

// Prepare is [Init], except that a missing [Agent] is put back before the first time
// alone: later the operator has to know of it.
func Prepare(dir string) error {
	if Begun(dir) {
		return ensure(dir, "operator", operatorFiles(dir)...)
	}
	return Init(dir)
}

// Init puts the operator's files into the workspace at dir where they are absent.
// The examples of tools come with their folder only: one that was deleted stays so.
func Init(dir string) error {
	return ensure(dir, "operator", append([]string{Agent}, operatorFiles(dir)...)...) // it first: the others say that it was there
}

// operatorFiles are those that belong into a workspace beside [Agent].
func operatorFiles(dir string) []string {
	names := []string{"skills/README.md"}
	if _, err := os.Lstat(filepath.Join(dir, Tools)); errors.Is(err, fs.ErrNotExist) {
		for _, name := range []string{
			"README.md", "weather/tool.yaml", "weather/run", "stock/tool.yaml", "stock/run", "stock/stock.csv",
		} {
			names = append(names, path.Join(Tools, name))
		}
	}
	return names
}

// Notes are the files of a space that each prompt of its chat has.
func Notes() []string { return []string{"USER.md", "MEMORY.md"} }

// EnsureSpace puts the files of a chat's space into dir where they are absent.
func EnsureSpace(dir string) error {
	return ensure(dir, "space", Notes()...)
}

func ensure(dir, set string, names ...string) error {
	for _, name := range names {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Lstat(target); err == nil {
			continue
		}
		text, err := initial.ReadFile(path.Join(set, name))
		if err != nil {
			return err
		}
		mode := fs.FileMode(fileMode)
		if path.Base(name) == "run" {
			mode = programMode
		}
		if err := create(target, text, mode); err != nil {
			return fmt.Errorf("prepare %s: %w", dir, err)
		}
	}
	return nil
}

// create writes a new file. One that appeared meanwhile, be it a link that leads
// nowhere, is left as it is.
func create(target string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(target), dirMode); err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) //nolint:gosec // G304: the operator's folder and a fixed name
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		// Half a file would pass for the operator's own next time.
		_ = os.Remove(target)
	}
	return err
}
