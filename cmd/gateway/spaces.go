package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/pkg/channels"
)

// maxAgentFile is how much of AGENT.md the model is given.
const maxAgentFile = 64 << 10

// spaces are the chats' folders in the workspace, and the operator's AGENT.md.
type spaces struct {
	dir string

	mu sync.Mutex
	// agent is AGENT.md as it was when it had this size and time.
	agent    string
	size     int64
	modified time.Time
}

// home is the space that the console and the owners' direct chats share.
func (s *spaces) home() string { return filepath.Join(s.dir, "home") }

// of names a chat's folder. The owners' direct chats share one; any other
// chat's name says nothing about it.
func (s *spaces) of(a channels.Address, owner bool) string { //nolint:revive // flag-parameter: the agent knows who owns a chat
	if owner {
		return s.home()
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{a.Channel, a.Account, a.Chat, a.Thread}, "\x00")))
	return filepath.Join(s.dir, "chats", hex.EncodeToString(sum[:12]))
}

// agentFile is the operator's AGENT.md as it is now; "" where there is none. It
// is read again when its size or time has changed.
func (s *spaces) agentFile() string {
	path := filepath.Join(s.dir, "AGENT.md")
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.Size() == s.size && st.ModTime().Equal(s.modified) {
		return s.agent
	}
	f, err := os.Open(path) //nolint:gosec // the operator names the folder
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAgentFile))
	if err != nil {
		return ""
	}
	s.agent, s.size, s.modified = string(text), st.Size(), st.ModTime()
	return s.agent
}
