package api

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slack-go/slack"
)

// ErrRefused says that Slack calls the token invalid, revoked, or of a workspace or an
// app that is gone. A single refusal is often Slack's own fault; one that lasts is
// true. It holds no token.
var ErrRefused = errors.New("slack: the call is refused")

// Identity is the owner of a bot token, as auth.test tells it: the workspace's
// team id (T…), the bot's user id (U…) and the bot's own id (B…).
type Identity struct {
	Team string `json:"team"`
	User string `json:"user"`
	Bot  string `json:"bot"`
}

// Identify asks auth.test once for the owner of the bot token; called is the name that
// people use for the bot and its workspace. The error is [ErrRefused] where Slack
// refuses the token; any other may pass by itself.
func (c *Client) Identify(ctx context.Context) (id Identity, called string, err error) {
	var me *slack.AuthTestResponse
	err = c.Call(ctx, "auth.test", func(ctx context.Context, api *slack.Client) (err error) {
		me, err = api.AuthTestContext(ctx)
		return err
	})
	if err != nil {
		return Identity{}, "", Refused(err)
	}
	if !IsID(me.TeamID) || !IsID(me.UserID) {
		return Identity{}, "", errors.New("slack: auth.test names no workspace or no user")
	}
	called = fmt.Sprintf("@%.100s in %.100s", me.User, me.Team)
	return Identity{Team: me.TeamID, User: me.UserID, Bot: me.BotID}, called, nil
}

// refusals are the errors by which Slack says that a token is invalid, or does not
// allow the call (docs.slack.dev/reference/methods/auth.test).
func refusals() []string {
	return []string{
		"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "no_permission",
		"org_login_required", "team_access_not_granted", "not_allowed_token_type", "missing_scope",
	}
}

// Refused makes an error [ErrRefused] where it says that Slack refuses the token.
func Refused(err error) error {
	if ae, ok := errors.AsType[*Error](err); ok && ae.Has(refusals()...) {
		return fmt.Errorf("%w: %w", ErrRefused, ae)
	}
	return err
}

// IsID says that s can be an id: letters, digits, _, - and dots, not many of them.
// Ids are put together with slashes, which they must not hold.
func IsID(s string) bool {
	return s != "" && len(s) <= 64 && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' && r != '.'
	}) < 0
}
