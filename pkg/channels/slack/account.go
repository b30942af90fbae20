package slack

import (
	"context"
	"errors"
)

// ErrRefused says that Slack knows the token and refuses it: it is none, was
// revoked, or belongs to a workspace or an app that is gone. It holds no token.
var ErrRefused = errors.New("slack: the token is refused")

// Identity is who a bot token belongs to, as auth.test tells it: the workspace's
// team id (T…), the bot's user id (U…) and the bot's own id (B…).
type Identity struct {
	Team string `json:"team"`
	User string `json:"user"`
	Bot  string `json:"bot"`
}

// errNotBuilt is what everything answers that is not built yet.
var errNotBuilt = errors.New("slack: not built yet")

// Identify asks Slack once who the bot token belongs to. The error is [ErrRefused]
// where Slack says that the token is none; any other may pass by itself.
func Identify(_ context.Context, _ Options) (Identity, error) { return Identity{}, errNotBuilt }
