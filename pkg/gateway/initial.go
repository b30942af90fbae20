package gateway

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"parley/pkg/channels/slack"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/workspace"
)

// initialConfig is the first configuration; PROGRAM stands for the program's name.
const initialConfig = `# Parley. Check it with: PROGRAM config check
# All keys: PROGRAM config schema

state_dir: ~/.parley
workspace: ~/.parley/workspace

# Without models, the gateway takes the keys that the environment has (OPENAI_API_KEY,
# OPENROUTER_API_KEY, GROQ_API_KEY and others), a model server on this machine, or the
# built-in offline model. Several models step in for each other, and /model switches.
# agent: {model: main, fallbacks: [local]}
# models:
#   main:
#     provider: openai
#     model: gpt-4o
#     base_url: https://api.openai.com/v1
#     api_key: env:OPENAI_API_KEY
#   local:
#     model: llama3.2
#     base_url: http://127.0.0.1:11434/v1

# Whose direct chats have the rights of the console: telegram:ID, slack:TEAM/ID
owners: []

channels:
  console: {}
`

// WriteConfig writes a first configuration to path. A file that is there stays as it is,
// and written is false.
func WriteConfig(path string) (written bool, err error) {
	err = writeNew(path, strings.ReplaceAll(initialConfig, "PROGRAM", admin.Program()))
	switch {
	case errors.Is(err, os.ErrExist):
		return false, nil
	case err != nil:
		return false, wrongPlace(err)
	}
	return true, nil
}

// writeNew writes a file and its folder. The error wraps [os.ErrExist] where there is a
// file already.
func writeNew(path, content string) error {
	const folder, file = 0o700, 0o600
	if err := os.MkdirAll(filepath.Dir(path), folder); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file) //nolint:gosec // the operator names the file
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// InitWorkspace puts the operator's files into the workspace; files that are there stay
// as they are.
func InitWorkspace(cfg *config.Config) error {
	if err := workspace.Init(cfg.Workspace); err != nil {
		return wrongPlace(err)
	}
	return nil
}

// SlackManifest is the manifest of a Slack app with the rights that the gateway needs.
// The address is that of Slack's events; with "" the app uses Socket Mode.
func SlackManifest(name, address string) (string, error) {
	manifest, err := slack.Manifest(name, address)
	if err != nil {
		return "", admin.WithCode(admin.CodeUsage, err)
	}
	return manifest, nil
}
