package slack

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"parley/pkg/channels"
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

// names are what people are called. They are asked for beside taking in, which never
// waits for one: who is not known yet has none.
type names struct {
	*Channel

	// wanted are users to ask for. A user is in it once, since the entry says so.
	wanted chan string

	mu  sync.Mutex
	all map[string]named
}

type named struct {
	name  string
	until time.Time
}

func newNames(c *Channel) *names {
	return &names{Channel: c, wanted: make(chan string, maxWanted), all: map[string]named{}}
}

// run asks for the names that are wanted until ctx ends.
func (n *names) run(ctx context.Context) {
	for range maxLookups {
		n.work.Go(func() {
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

// of is the name of a user, "" while it is not known.
func (n *names) of(user string) string {
	if !isID(user) {
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
func (c *Channel) PersonName(ctx context.Context, id string) string {
	user := bareUser(id)
	if !isID(user) {
		return ""
	}
	n := c.names
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

// ask asks Slack for a name.
func (n *names) ask(ctx context.Context, user string) {
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	var found *slack.User
	err := n.client.call(ctx, "users.info", func(ctx context.Context, api *slack.Client) (err error) {
		found, err = api.GetUserInfoContext(ctx, user)
		return err
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		n.log.Debug().Err(err).Str("user", user).Msg("a name is not known yet")
		return
	}
	n.keep(user, channels.OneLine(first(found.Profile.DisplayName, found.RealName, found.Profile.RealName, found.Name)), nameAge)
}

// keep remembers a name, and forgets another where there are too many.
func (n *names) keep(user, name string, age time.Duration) {
	if _, known := n.all[user]; !known && len(n.all) >= maxNames {
		for other := range n.all {
			delete(n.all, other)
			break
		}
	}
	n.all[user] = named{name: name, until: time.Now().Add(age)}
}
