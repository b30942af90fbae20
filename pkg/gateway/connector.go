package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/slack"
	"parley/pkg/channels/wire"
)

// The times of a channel that has yet to join.
const (
	// The pauses between two attempts grow from the first to the second.
	joinPause, joinPauseMax = time.Second, 30 * time.Second
	// The longest that one attempt may take.
	joinTime = 30 * time.Second
)

// healthConnecting is the state of a channel that has yet to join; healthEnded of
// one that does not run and will not.
const (
	healthConnecting channels.HealthState = "connecting"
	healthEnded      channels.HealthState = "ended"
)

// Connector makes the channel of an account that only its platform can name. It keeps
// asking while the other channels run.
type Connector struct {
	name string
	// identify asks once; open makes the channel of the answer.
	identify func(context.Context) (slack.Identity, error)
	open     func(slack.Identity) (channels.Channel, error)
	log      zerolog.Logger

	mu     sync.Mutex
	state  channels.Health
	joined bool
}

func newSlackConnector(o slack.Options, kept keptIdentity, log zerolog.Logger) *Connector {
	return &Connector{
		name: slack.Name, log: log, state: channels.Health{State: healthConnecting, Since: time.Now()},
		identify: func(ctx context.Context) (slack.Identity, error) { return slack.Identify(ctx, o) },
		open: func(me slack.Identity) (channels.Channel, error) {
			c, err := slack.New(o, me)
			if err != nil {
				return nil, fmt.Errorf("channels.slack: %w", err)
			}
			if err := kept.write(o.BotToken(), me); err != nil {
				log.Warn().Err(err).Msg("whom the bot token of Slack belongs to cannot be kept: the next start asks again")
			}
			return c, nil
		},
	}
}

// run returns the channel once the platform has told its owner. The error says that ctx
// ended, or that the channel can no longer join.
func (j *Connector) run(ctx context.Context) (channels.Channel, error) {
	pauses := wire.NewPauses(joinPause, joinPauseMax)
	for {
		me, err := j.attempt(ctx)
		if err == nil {
			return j.make(me)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var wait time.Duration
		if errors.Is(err, slack.ErrRefused) {
			wait = pauses.Refused()
		} else {
			wait = pauses.Failed(0)
		}
		if pauses.Lasting() {
			err = fmt.Errorf("%w: install the app in the workspace again, put its Bot User OAuth Token where channels.slack.bot_token says, and "+
				"start the gateway again", err)
			j.log.Error().Err(err).Dur("pause", wait).Msg(j.name + " cannot be joined")
			j.set(channels.HealthAuth, err)
		} else {
			j.log.Warn().Err(err).Dur("pause", wait).Msg(j.name + " cannot be joined yet")
			j.set(healthConnecting, err)
		}
		if !backoff.Sleep(ctx, wait) {
			return nil, context.Cause(ctx)
		}
	}
}

func (j *Connector) attempt(ctx context.Context) (slack.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	return j.identify(ctx)
}

func (j *Connector) make(me slack.Identity) (channels.Channel, error) {
	c, err := j.open(me)
	if err != nil {
		j.set(healthEnded, err)
		return nil, err
	}
	j.log.Info().Str("account", c.Account()).Msg(j.name + " has joined")
	return c, nil
}

func (j *Connector) set(state channels.HealthState, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	since := j.state.Since
	if j.state.State != state {
		since = time.Now()
	}
	j.state = channels.Health{State: state, Reason: err.Error(), Since: since}
}

// health is how joining goes; false for a channel that has joined, and for no connector.
func (j *Connector) health() (channels.Health, bool) {
	if j == nil {
		return channels.Health{}, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state, !j.joined
}
