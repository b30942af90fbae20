package outbound

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
)

const (
	// Slack takes answers at a response_url for that long.
	replyAge = 30 * time.Minute
	// How long such an answer may take: the send that was refused waits for it.
	replyTimeout = 5 * time.Second
	// How many commands of one address are told that their answer cannot arrive.
	maxReplies = 8
)

// commands are the slash commands that were let in of late, by their address. Slack takes
// them also where the app is no member and no message of it can arrive.
type commands struct {
	client *api.Client
	log    zerolog.Logger

	known recent[channels.Address, []*reply]
}

// reply is where one command may be answered.
type reply struct {
	url  string
	made time.Time
}

// remember keeps the response_url of a command until forget is called.
func (c *commands) remember(at channels.Address, url string) (forget func()) {
	one := &reply{url: url, made: time.Now()}
	c.known.with(at, func(all *[]*reply) {
		*all = append(*all, one)
		*all = (*all)[max(0, len(*all)-maxReplies):]
	})
	return func() {
		c.known.with(at, func(all *[]*reply) {
			for n, r := range *all {
				if r == one {
					*all = append((*all)[:n:n], (*all)[n+1:]...)
					return
				}
			}
		})
	}
}

// refused tells the people whose commands cannot be answered at an address, each once.
func (c *commands) refused(ctx context.Context, at channels.Address, err error) {
	refusal, ok := errors.AsType[*api.Error](err)
	if !ok || !refusal.Has("not_in_channel", "channel_not_found") {
		return
	}
	if _, known := c.known.get(at); !known {
		return
	}
	var all []*reply
	c.known.with(at, func(now *[]*reply) { all, *now = *now, nil })
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	for _, one := range all {
		if time.Since(one.made) > replyAge {
			continue
		}
		if err := c.client.Respond(ctx, one.url, textNotHere); err != nil {
			c.log.Warn().Err(err).Str("chat", at.Chat).Msg("a command where the app is no member is not told so")
		}
	}
}
