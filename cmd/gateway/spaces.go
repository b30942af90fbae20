package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/agent"
	"parley/pkg/channels"
	"parley/pkg/openat"
	"parley/workspace"
)

// maxAgentFile bounds AGENT.md in bytes. The model is given all of it: rules that stand
// at its end must not be lost without a word.
const maxAgentFile = agent.MaxRules

// spaces are the chats' folders in the workspace, and the operator's AGENT.md.
type spaces struct {
	dir string
	log zerolog.Logger

	mu sync.Mutex
	// agent is AGENT.md as it was when it was last good, with this size and time.
	agent    string
	size     int64
	modified time.Time
	// trouble says what is wrong with it now; "" is nothing.
	trouble string
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

// agentFile is the operator's AGENT.md as it is now. Where that cannot be used, it is
// the last good text, because without it the model would answer without any rules;
// the log and the status say so. It is read again when its size or time has changed.
func (s *spaces) agentFile() string {
	st, err := os.Stat(s.agentPath())
	s.mu.Lock()
	if err == nil && s.trouble == "" && st.Size() == s.size && st.ModTime().Equal(s.modified) {
		defer s.mu.Unlock()
		return s.agent
	}
	s.mu.Unlock()
	text, st, err := readAgentFile(s.dir) // a disk that does not answer holds no lock
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if s.trouble != err.Error() {
			s.trouble = err.Error()
			s.log.Error().Err(err).Msg("AGENT.md cannot be used; its last good text goes on")
		}
		return s.agent
	}
	if s.trouble != "" {
		s.trouble = ""
		s.log.Info().Msg("AGENT.md can be used again")
	}
	s.agent, s.size, s.modified = text, st.Size(), st.ModTime()
	return s.agent
}

// agentTrouble is what is wrong with AGENT.md, as the last turn found it.
func (s *spaces) agentTrouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trouble
}

func (s *spaces) agentPath() string { return filepath.Join(s.dir, workspace.Agent) }

// readAgentFile reads AGENT.md in the workspace at dir. Each error says what to do.
func readAgentFile(dir string) (string, fs.FileInfo, error) {
	name := filepath.Join(dir, workspace.Agent)
	f, st, err := openat.Own(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("%s, the system prompt, is missing: put it back, or let gateway init write the first one", name)
	case err != nil:
		return "", nil, fmt.Errorf("the system prompt cannot be read (%w): make it a file that the gateway's user may read", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAgentFile+1))
	if err != nil {
		return "", nil, fmt.Errorf("the system prompt cannot be read: %w", err)
	}
	if len(text) > maxAgentFile {
		return "", nil, fmt.Errorf("%s, the system prompt, is longer than %d bytes: shorten it, for instance by moving what is seldom needed to a file that the agent may read", name, maxAgentFile)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", nil, fmt.Errorf("%s, the system prompt, is empty: write the instructions into it, or remove it and let gateway init write the first one", name)
	}
	return string(text), st, nil
}

// checkAgentFile says what is wrong with AGENT.md. One that is missing before the
// first start is not: that writes it.
func checkAgentFile(dir string) error {
	if !workspace.Begun(dir) {
		if _, err := os.Lstat(filepath.Join(dir, workspace.Agent)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	_, _, err := readAgentFile(dir)
	if err != nil {
		return coded(exitUsage, err)
	}
	return nil
}
