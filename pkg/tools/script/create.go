package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const folderMode, fileMode, programMode = 0o700, 0o600, 0o700

// firstManifest is the tool.yaml of a new tool, %s its name.
const firstManifest = `name: %s
description: Says hello to somebody. Replace this by what your tool does, and when to use it.
parameters:                # a JSON Schema of the arguments
  type: object
  properties:
    who: {type: string, description: whom to greet}
  required: [who]
read_only: true            # it changes nothing: it may run beside others, and again after a crash
# destructive: true        # it overwrites or deletes: a person is asked first
# idempotent: true         # a second call with the same arguments changes nothing more
# open_world: true         # its result holds what others wrote; taken for granted with network
# network: true            # it may reach the network
# level: read              # the right that a chat needs: chat, read, write, exec
# approval: side_effects   # when a person is asked: destructive, side_effects, never
# timeout: 30s
# enabled: false
# command: run             # the program in this folder
`

// firstProgram is the program of a new tool.
const firstProgram = `#!/bin/sh
# The arguments come as JSON on standard input; texts, numbers and truth values are
# in PARLEY_ARG_NAME as well. What is written to standard output is the result. An
# exit code other than 0 is a failure, and standard error says why.
set -eu
echo "progress: looking for $PARLEY_ARG_who" >&2
echo "Hello, $PARLEY_ARG_who!"
`

// Create makes the folder of a new tool in dir and returns its path. A name that is
// taken is an error that wraps [fs.ErrExist].
func Create(dir, name string) (string, error) {
	if !ValidName(name) {
		return "", fmt.Errorf("the name %s is not 1 to 64 letters, digits, _ or -", quote(name))
	}
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return "", err
	}
	folder := filepath.Join(dir, name)
	if err := os.Mkdir(folder, folderMode); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("%s is there already: %w", folder, fs.ErrExist)
		}
		return "", err
	}
	return folder, errors.Join(
		os.WriteFile(filepath.Join(folder, manifestName), fmt.Appendf(nil, firstManifest, name), fileMode),
		os.WriteFile(filepath.Join(folder, "run"), []byte(firstProgram), programMode),
	)
}
