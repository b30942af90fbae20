package gateway

import (
	"io"
	"path/filepath"

	"parley/pkg/channels/slack"
	"parley/pkg/config"
	"parley/pkg/gateway/admin"
	"parley/pkg/gateway/files"
	"parley/workspace"
)

// LogPath is the log of a gateway whose console has the screen.
func LogPath(cfg *config.Config) string { return filepath.Join(cfg.StateDir, "parley.log") }

// LogFile is the file at [LogPath].
func LogFile(cfg *config.Config) io.Writer { return files.NewLogFile(LogPath(cfg)) }

// InitWorkspace puts the operator's files into the workspace; files that are there stay
// as they are.
func InitWorkspace(cfg *config.Config) error {
	if err := workspace.Init(cfg.Workspace); err != nil {
		return WrongPlace(err)
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
