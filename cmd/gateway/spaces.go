package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/pkg/channels"
	"parley/workspace"
)

// maxAgentFile is how much of AGENT.md the model is given.
const maxAgentFile = 64 << 10

// spaces are the chats' folders in the workspace.
type spaces struct{ dir string }

// of returns a chat's folder, with its first files. The owners' direct chats
// share one; any other chat's name says nothing about it.
func (s spaces) of(a channels.Address, owner bool) (string, error) { //nolint:revive // flag-parameter: the agent knows who owns a chat
	dir := filepath.Join(s.dir, "home")
	if !owner {
		key, err := json.Marshal(a)
		if err != nil {
			return "", fmt.Errorf("address: %w", err)
		}
		sum := sha256.Sum256(key)
		dir = filepath.Join(s.dir, "chats", hex.EncodeToString(sum[:12]))
	}
	return dir, workspace.EnsureSpace(dir)
}

// agentFile is the operator's AGENT.md as it is now; "" where there is none.
func (s spaces) agentFile() string {
	f, err := os.Open(filepath.Join(s.dir, "AGENT.md"))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAgentFile))
	if err != nil {
		return ""
	}
	return string(text)
}
