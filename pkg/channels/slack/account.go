package slack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/wire"
)

// ErrRefused says that Slack answers that the token is none, was revoked, or belongs
// to a workspace or an app that is gone. Once is often Slack's own fault; where it
// lasts, it is so. It holds no token.
var ErrRefused = errors.New("slack: the call is refused")

// Identity is who a bot token belongs to, as auth.test tells it: the workspace's
// team id (T…), the bot's user id (U…) and the bot's own id (B…).
type Identity struct {
	Team string `json:"team"`
	User string `json:"user"`
	Bot  string `json:"bot"`
}

// Identify asks Slack once who the bot token belongs to. The error is [ErrRefused]
// where Slack says that the token is none; any other may pass by itself.
func Identify(ctx context.Context, o Options) (Identity, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Identity{}, err
	}
	client, err := newClient(o)
	if err != nil {
		return Identity{}, err
	}
	defer client.close()
	me, _, err := client.identify(ctx)
	return me, err
}

// identify calls auth.test; called is how people call the bot and its workspace.
func (c *client) identify(ctx context.Context) (id Identity, called string, err error) {
	var me *slack.AuthTestResponse
	err = c.call(ctx, "auth.test", func(ctx context.Context, api *slack.Client) (err error) {
		me, err = api.AuthTestContext(ctx)
		return err
	})
	if err != nil {
		return Identity{}, "", refused(err)
	}
	if !isID(me.TeamID) || !isID(me.UserID) {
		return Identity{}, "", errors.New("slack: auth.test names no workspace or no user")
	}
	called = fmt.Sprintf("@%.100s in %.100s", me.User, me.Team)
	return Identity{Team: me.TeamID, User: me.UserID, Bot: me.BotID}, called, nil
}

// refusals are the errors by which Slack says that a token is none, or not one for
// what was asked (docs.slack.dev/reference/methods/auth.test).
func refusals() []string {
	return []string{
		"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "no_permission",
		"org_login_required", "team_access_not_granted", "not_allowed_token_type", "missing_scope",
	}
}

// refused makes of an error one that is [ErrRefused] where Slack refuses the token.
func refused(err error) error {
	if ae, ok := errors.AsType[*apiError](err); ok && ae.is(refusals()...) {
		return fmt.Errorf("%w: %w", ErrRefused, ae)
	}
	return err
}

var errNoTeam = errors.New("slack: the identity names no workspace")

// errOtherAccount ends Run: everything stored under this account is another's.
var errOtherAccount = errors.New("slack: the bot token belongs to another workspace or app than the one that this channel was made for")

// introduce asks who the token belongs to until Slack has told; taking in goes on
// beside it. An error means that it is somebody else's.
func (c *Channel) introduce(ctx context.Context) error {
	pause := newPauses()
	for {
		me, called, err := c.client.identify(ctx)
		if err == nil {
			err := c.learn(me)
			if err == nil {
				c.log.Info().Msg("connected as " + called)
			}
			return err
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end of Run says nothing about the account
		}
		wait := wire.Jitter(pause.after(err))
		if pause.refused.Lasting() {
			err = fmt.Errorf("the bot token is refused: install the app in the workspace again and put its Bot User OAuth Token where channels.slack.bot_token says: %w", err)
			c.ails.ail(ailingToken, channels.HealthAuth, err.Error())
		} else if errors.Is(err, ErrRefused) {
			c.ails.ail(ailingToken, channels.HealthDegraded, err.Error())
		}
		c.log.Warn().Err(err).Dur("pause", wait).Msg("it is not known yet whose the bot token is")
		if !wire.Sleep(ctx, wait) {
			return nil
		}
	}
}

// learn takes what Slack tells of the token. The bot's own id may be new.
func (c *Channel) learn(now Identity) error {
	known := c.me.Load()
	if now.Team != known.Team || known.User != "" && now.User != known.User {
		return errOtherAccount
	}
	c.me.Store(&now)
	c.well(ailingToken)
	return nil
}

// pauses are the pauses of one loop of attempts.
type pauses struct {
	usual   *wire.Backoff
	refused channels.Refusals
}

func newPauses() *pauses { return &pauses{usual: wire.NewBackoff(minPause, maxPause)} }

// after is how long to wait after err; what has no rule of its own grows.
func (p *pauses) after(err error) time.Duration {
	if errors.Is(err, ErrRefused) {
		return p.refused.Take()
	}
	p.refused.Reset()
	if ae, ok := errors.AsType[*apiError](err); ok && ae.RetryAfter > 0 {
		return ae.RetryAfter
	}
	return p.usual.Take()
}

// reset begins anew: an attempt went well.
func (p *pauses) reset() {
	p.usual.Reset()
	p.refused.Reset()
}

// well says that something works, and logs it where it did not.
func (c *Channel) well(what ailing) {
	if c.ails.recovered(what) {
		c.log.Info().Msg("taking in works again")
	}
}
