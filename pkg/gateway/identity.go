package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/pkg/channels/slack"
	"parley/pkg/durable"
	"parley/pkg/gateway/admin"
	"parley/pkg/session/bolt"
)

// identityFile holds, in the state folder, whom the bot token of Slack belongs to.
const identityFile = "slack.json"

// errNoIdentity says that a token is unknown.
var errNoIdentity = errors.New("it is not known whom the token belongs to")

// keptIdentity is Slack's last description of the bot token, so that a gateway starts
// while Slack cannot be reached. The token is not in it, only its fingerprint: a
// description of another token does not count.
type keptIdentity struct{ dir string }

type identityRecord struct {
	// Token is the SHA-256 of the bot token, in hex.
	Token string         `json:"token_sha256"`
	Is    slack.Identity `json:"is"`
}

func fingerprint(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func (k keptIdentity) path() string { return filepath.Join(k.dir, identityFile) }

// read is the description of a token. The error is [errNoIdentity] without a
// description: also for another token, and where the file is no such record.
func (k keptIdentity) read(token string) (slack.Identity, error) {
	raw, err := os.ReadFile(k.path())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return slack.Identity{}, admin.StoreError(bolt.LookError(k.path(), err))
	}
	var r identityRecord
	if json.Unmarshal(raw, &r) != nil || r.Token != fingerprint(token) || r.Is.Team == "" || r.Is.User == "" {
		return slack.Identity{}, errNoIdentity
	}
	return r.Is, nil
}

// forget removes the description, so that Slack is asked anew.
func (k keptIdentity) forget() error {
	if err := os.Remove(k.path()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget whom the bot token belongs to: %w", err)
	}
	return nil
}

// write keeps Slack's description of a token, whole or not at all.
func (k keptIdentity) write(token string, is slack.Identity) error {
	raw, err := json.Marshal(identityRecord{Token: fingerprint(token), Is: is})
	if err != nil {
		return err
	}
	return durable.Replace(k.path(), func(w io.Writer) error {
		_, err := w.Write(append(raw, '\n'))
		return err
	})
}
