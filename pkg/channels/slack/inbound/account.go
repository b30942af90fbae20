package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/wire"
)

// errOtherAccount ends Run: everything stored under this account is another's.
var errOtherAccount = errors.New("slack: the bot token belongs to another workspace or app than the one that this channel was made for")

// introduce asks for the owner of the token until Slack has told; receiving goes on
// beside it. An error means that it is somebody else's.
func (r *Receiver) introduce(ctx context.Context) error {
	pauses := wire.NewPauses(minPause, maxPause)
	for {
		me, called, err := r.opt.API.Identify(ctx)
		if err == nil {
			err := r.learn(me)
			if err == nil {
				r.log.Info().Msg("connected as " + called)
			}
			return err
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end of Run is no news of the account
		}
		wait := after(pauses, err)
		if pauses.Lasting() {
			err = fmt.Errorf("the bot token is refused: install the app in the workspace again and put its Bot User OAuth Token "+
				"where channels.slack.bot_token says: %w", err)
			r.status.fails(owning, channels.HealthAuth, err.Error())
		} else if errors.Is(err, api.ErrRefused) {
			r.status.fails(owning, channels.HealthDegraded, err.Error())
		}
		r.log.Warn().Err(err).Dur("pause", wait).Msg("it is not known yet whose the bot token is")
		if !backoff.Sleep(ctx, wait) {
			return nil
		}
	}
}

// learn takes Slack's description of the token. The bot's own id may be new.
func (r *Receiver) learn(now api.Identity) error {
	known := r.me.Load()
	if now.Team != known.Team || known.User != "" && now.User != known.User {
		return errOtherAccount
	}
	r.me.Store(&now)
	r.status.works(owning)
	return nil
}

// after is how long to wait after err.
func after(p *wire.Pauses, err error) time.Duration {
	if errors.Is(err, api.ErrRefused) {
		return p.Refused()
	}
	if ae, ok := errors.AsType[*api.Error](err); ok {
		return p.Failed(ae.RetryAfter)
	}
	return p.Failed(0)
}
