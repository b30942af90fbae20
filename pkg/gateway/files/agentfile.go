package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"parley/pkg/agent/prompt"
	"parley/pkg/openat"
	"parley/workspace"
)

// maxAgentFile bounds AGENT.md in bytes. A model is given all of it, because rules at
// its end must not be lost.
const maxAgentFile = prompt.MaxRules

// AgentFile is the operator's AGENT.md, the system prompt.
type AgentFile struct{ file *promptFile }

// NewAgentFile is AGENT.md in the workspace dir.
func NewAgentFile(dir string, log zerolog.Logger) *AgentFile {
	return &AgentFile{&promptFile{
		path: filepath.Join(dir, workspace.Agent), name: workspace.Agent, log: log,
		read: func() (string, fs.FileInfo, error) { return readAgentFile(dir) },
	}}
}

// Text is AGENT.md as it is now. Where it cannot be used, Text is the last good one,
// because without it the model would answer without any rules; the log and the status
// tell so. It is read again when its size or time has changed.
func (s *AgentFile) Text() string { return s.file.Text() }

// Trouble is the defect of AGENT.md that the last turn found, or "".
func (s *AgentFile) Trouble() string { return s.file.Trouble() }

// readAgentFile reads AGENT.md in the workspace at dir. Each error names the cure.
func readAgentFile(dir string) (string, fs.FileInfo, error) {
	name := filepath.Join(dir, workspace.Agent)
	f, st, err := openat.Own(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("%s, the system prompt, is missing: put it back, or let the verb init write the first one", name)
	case err != nil:
		return "", nil, fmt.Errorf("the system prompt cannot be read (%w): make it a file that the gateway's user may read", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAgentFile+1))
	if err != nil {
		return "", nil, fmt.Errorf("the system prompt cannot be read: %w", err)
	}
	if len(text) > maxAgentFile {
		return "", nil, fmt.Errorf("%s, the system prompt, is longer than %d bytes: shorten it, for instance by moving what is seldom needed "+
			"to a file that the agent may read", name, maxAgentFile)
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", nil, fmt.Errorf("%s, the system prompt, is empty: write the instructions into it, or remove it and let the verb "+
			"init write the first one", name)
	}
	return string(text), st, nil
}

// CheckAgentFile returns the defect of AGENT.md in the workspace dir. Before the first
// start, which writes the file, it may be missing.
func CheckAgentFile(dir string) error {
	if !workspace.Begun(dir) {
		if _, err := os.Lstat(filepath.Join(dir, workspace.Agent)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	_, _, err := readAgentFile(dir)
	return err
}

// HeartbeatFile is HEARTBEAT.md in the workspace dir as it is now, or "".
func HeartbeatFile(dir string) string {
	f, _, err := openat.Own(filepath.Join(dir, "HEARTBEAT.md"))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAgentFile))
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(text), "")
}
