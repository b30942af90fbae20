package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/pkg/channels"
)

// Spaces are the chats' folders in the workspace.
type Spaces struct{ dir string }

// NewSpaces are the folders in the workspace dir.
func NewSpaces(dir string) Spaces { return Spaces{dir} }

// Home is the space that the console and the owners' direct chats share.
func (s Spaces) Home() string { return filepath.Join(s.dir, "home") }

// Of names a chat's folder. The owners' direct chats share one; the name of any other
// is no hint to its chat. "": a chat of one request has no files.
func (s Spaces) Of(a channels.Address, owner bool) string { //nolint:revive // flag-parameter: the agent knows the owners of a chat
	if a.Passing() {
		return ""
	}
	if owner {
		return s.Home()
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{a.Channel, a.Account, a.Chat, a.Thread}, "\x00")))
	return filepath.Join(s.dir, "chats", hex.EncodeToString(sum[:12]))
}

// Move gives a chat's folder to its new address. Where the new address has files
// already, both keep their own.
func (s Spaces) Move(from, to channels.Address) error {
	err := os.Rename(s.Of(from, false), s.Of(to, false))
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("move a chat's files: %w", err)
	}
	return nil
}
