package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
	"parley/pkg/channels/wire"
)

// errOtherAccount ends Run: everything stored under this account is another's.
var errOtherAccount = errors.New("slack: the bot token belongs to another workspace or app than the one that this channel was made for")

// introduce asks who the token belongs to until Slack has told; taking in goes on
// beside it. An error means that it is somebody else's.
func (r *Receiver) introduce(ctx context.Context) error {
	pause := newPauses()
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
			return nil //nolint:nilerr // the end of Run says nothing about the account
		}
		wait := wire.Jitter(pause.after(err))
		if pause.refused.Lasting() {
			err = fmt.Errorf("the bot token is refused: install the app in the workspace again and put its Bot User OAuth Token "+
				"where channels.slack.bot_token says: %w", err)
			r.status.fails(owning, channels.HealthAuth, err.Error())
		} else if errors.Is(err, api.ErrRefused) {
			r.status.fails(owning, channels.HealthDegraded, err.Error())
		}
		r.log.Warn().Err(err).Dur("pause", wait).Msg("it is not known yet whose the bot token is")
		if !wire.Sleep(ctx, wait) {
			return nil
		}
	}
}

// learn takes what Slack tells of the token. The bot's own id may be new.
func (r *Receiver) learn(now api.Identity) error {
	known := r.me.Load()
	if now.Team != known.Team || known.User != "" && now.User != known.User {
		return errOtherAccount
	}
	r.me.Store(&now)
	r.status.works(owning)
	return nil
}

// pauses are the pauses of one loop of attempts.
type pauses struct {
	usual   *wire.Backoff
	refused channels.Refusals
}

func newPauses() *pauses { return &pauses{usual: wire.NewBackoff(minPause, maxPause)} }

// after is the wait after err; errors without a rule of their own wait longer each
// time.
func (p *pauses) after(err error) time.Duration {
	if errors.Is(err, api.ErrRefused) {
		return p.refused.Take()
	}
	p.refused.Reset()
	if ae, ok := errors.AsType[*api.Error](err); ok && ae.RetryAfter > 0 {
		return ae.RetryAfter
	}
	return p.usual.Take()
}

// reset begins anew: an attempt went well.
func (p *pauses) reset() {
	p.usual.Reset()
	p.refused.Reset()
}
