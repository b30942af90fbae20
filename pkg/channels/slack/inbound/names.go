package inbound

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/slack-go/slack"

	"parley/pkg/channels"
	"parley/pkg/channels/slack/api"
)

const (
	// How many names are remembered, for how long, and for how long not to ask again
	// after a failure.
	maxNames  = 1000
	nameAge   = time.Hour
	nameRetry = time.Minute
	// How many are asked for at once, and how many wait for that.
	maxLookups = 4
	maxWanted  = 64
	lookupWait = 10 * time.Second
)

// Names are the names of people. They are looked up beside receiving, which does not
// wait for them: until then a person has no name.
type Names struct {
	client *api.Client
	log    zerolog.Logger

	// wanted are users to ask for. A user is in it once, since the entry says so.
	wanted chan string

	mu  sync.Mutex
	all map[string]named
}

type named struct {
	name  string
	until time.Time
}

// NewNames makes an empty book of names; [Receiver.Run] looks names up.
func NewNames(client *api.Client, log zerolog.Logger) *Names {
	return &Names{client: client, log: log, wanted: make(chan string, maxWanted), all: map[string]named{}}
}

// run asks for the names that are wanted until ctx ends.
func (n *Names) run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	for range maxLookups {
		work.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case user := <-n.wanted:
					n.ask(ctx, user)
				}
			}
		})
	}
}

// Of is the name of a user, "" while it is not known.
func (n *Names) Of(user string) string {
	if !api.IsID(user) {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.all[user]
	if time.Now().Before(known.until) {
		return known.name
	}
	select {
	case n.wanted <- user:
		n.keep(user, known.name, nameRetry)
	default: // too many are new at once: the next message wants it again
	}
	return known.name
}

// PersonName is the name of a person, as [channels.Namer] has it.
func (n *Names) PersonName(ctx context.Context, id string) string {
	user := bareUser(id)
	if !api.IsID(user) {
		return ""
	}
	known := func() (named, bool) {
		n.mu.Lock()
		defer n.mu.Unlock()
		k := n.all[user]
		return k, k.name != "" && time.Now().Before(k.until)
	}
	if k, ok := known(); ok {
		return k.name
	}
	n.ask(ctx, user)
	k, _ := known()
	return k.name
}

// bareUser is the user's own part of a [channels.Sender]'s id, which for somebody of
// another team is TEAM/USER.
func bareUser(id string) string {
	if _, user, other := strings.Cut(id, "/"); other {
		return user
	}
	return id
}

// Len is how many names are remembered.
func (n *Names) Len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.all)
}

// ask asks Slack for a name.
func (n *Names) ask(ctx context.Context, user string) {
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	var found *slack.User
	err := n.client.Call(ctx, "users.info", func(ctx context.Context, web *slack.Client) (err error) {
		found, err = web.GetUserInfoContext(ctx, user)
		return err
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		n.log.Debug().Err(err).Str("user", user).Msg("a name is not known yet")
		return
	}
	n.keep(user, channels.OneLine(cmp.Or(found.Profile.DisplayName, found.RealName, found.Profile.RealName, found.Name)), nameAge)
}

// keep remembers a name, and forgets another where there are too many.
func (n *Names) keep(user, name string, age time.Duration) {
	if _, known := n.all[user]; !known && len(n.all) >= maxNames {
		for other := range n.all {
			delete(n.all, other)
			break
		}
	}
	n.all[user] = named{name: name, until: time.Now().Add(age)}
}
