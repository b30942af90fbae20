package workspace

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"parley/internal/failpoint"
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
	return exists(filepath.Join(dir, "skills"))
}

// Prepare is [Init], except that a missing [Agent] is put back before the first time
// alone: later the operator has to know of it.
func Prepare(dir string) error {
	if Begun(dir) {
		return ensureOperator(dir)
	}
	return Init(dir)
}

// Init puts the operator's files into the workspace at dir where they are absent.
// The examples of tools come with their folder only: one that was deleted stays so.
func Init(dir string) error {
	if err := ensure(dir, "operator", Agent); err != nil { // it first: the others say that it was there
		return err
	}
	return ensureOperator(dir)
}

// ensureOperator puts in place what belongs into a workspace beside [Agent].
func ensureOperator(dir string) error {
	if err := ensure(dir, "operator", "skills/README.md"); err != nil {
		return err
	}
	err := put(filepath.Join(dir, Tools), func(part string) error {
		var errs []error
		for _, name := range []string{
			"README.md", "weather/tool.yaml", "weather/run", "stock/tool.yaml", "stock/run", "stock/stock.csv",
		} {
			errs = append(errs, create(filepath.Join(part, filepath.FromSlash(name)), path.Join("operator", Tools, name)))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return fmt.Errorf("prepare %s: %w", dir, err)
	}
	return nil
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
		err := put(target, func(part string) error { return create(part, path.Join(set, name)) })
		if err != nil {
			return fmt.Errorf("prepare %s: %w", dir, err)
		}
	}
	return nil
}

// making is held while something is put in place: a second caller must not replace it, because it may have
// been written to meanwhile.
var making sync.Mutex //nolint:gochecknoglobals // the folders are those of the process

// put makes a file or a folder, whole or not at all: fill makes it under another name. One that is there, be it
// a link that leads nowhere, is left as it is.
func put(target string, fill func(part string) error) error {
	if exists(target) {
		return nil
	}
	making.Lock()
	defer making.Unlock()
	if exists(target) {
		return nil
	}
	part := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".part")
	err := os.RemoveAll(part) // of a process that was killed
	if err == nil {
		err = fill(part)
	}
	if err == nil {
		err = os.Rename(part, target)
	}
	if err != nil {
		_ = os.RemoveAll(part)
	}
	return err
}

func exists(target string) bool {
	_, err := os.Lstat(target)
	return err == nil
}

// create makes a file and its folder. It follows no link in the place of the file.
func create(target, text string) error {
	b, err := initial.ReadFile(text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), dirMode); err != nil {
		return err
	}
	mode := fs.FileMode(fileMode)
	if filepath.Base(target) == "run" {
		mode = programMode
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) //nolint:gosec // G304: the operator's folder and a fixed name
	if err != nil {
		return err
	}
	failpoint.Hit("W1")
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
