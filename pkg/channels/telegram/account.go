package telegram

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels/wire"
)

// accountOf is the part of a token before its colon: the bot's id, known without
// asking anybody. The error never shows the token.
func accountOf(token string) (string, error) {
	account, secret, _ := strings.Cut(token, ":")
	id, err := strconv.ParseInt(account, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != account || !isWord(secret) {
		return "", errors.New("telegram: the token is not of the form 123456:ABC…")
	}
	return account, nil
}

// self is who the bot is. Its name is known once the server has told it.
type self struct {
	id   int64
	name string
}

// named reports whether name is the bot's, without @, in whatever case.
func (s self) named(name string) bool { return s.name != "" && strings.EqualFold(s.name, name) }

// identity is the bot's name, for those who must wait for it.
type identity struct {
	id    int64
	known chan struct{}
	once  sync.Once
	name  string
}

func newIdentity(account string) *identity {
	id, err := strconv.ParseInt(account, 10, 64)
	if err != nil {
		id = 0 // accountOf has read it
	}
	return &identity{id: id, known: make(chan struct{})}
}

func (i *identity) learn(name string) {
	i.once.Do(func() {
		i.name = name
		close(i.known)
	})
}

// read is what is known now.
func (i *identity) read() self {
	select {
	case <-i.known:
		return self{id: i.id, name: i.name}
	default:
		return self{id: i.id}
	}
}

// wait returns when the name is known or ctx ends.
func (i *identity) wait(ctx context.Context) error {
	select {
	case <-i.known:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// introduce asks for the bot's name until it has one, then sees to the menu. Polling
// goes on beside it.
func (c *Channel) introduce(ctx context.Context) {
	pause := newPauses(time.Second)
	for {
		var me user
		err := c.client.call(ctx, "getMe", nil, &me)
		if err == nil && me.Username == "" {
			err = errors.New("getMe: no name")
		}
		if err == nil {
			if me.ID != c.me.id {
				c.log.Warn().Int64("id", me.ID).Msg("the server knows this token by another id")
			}
			c.me.learn(me.Username)
			c.log.Info().Msgf("connected as @%.100s", me.Username)
			break
		}
		wait, level := pause.after(err), zerolog.WarnLevel
		if ae, ok := errors.AsType[*apiError](err); ok && refusedToken(ae) {
			level = zerolog.DebugLevel // taking in is refused too, and says so
		}
		c.log.WithLevel(level).Err(err).Dur("pause", wait).Msg("the bot's name is not known yet")
		if !wire.Sleep(ctx, wait) {
			return
		}
	}
	c.registerMenu(ctx)
}
