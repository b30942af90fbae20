package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/pkg/agent/ongoing"
	"parley/pkg/session"
)

// endLimit bounds the wait for work that was told to end.
const endLimit = 10 * time.Second

// errEndLimit is the cause of an end that took too long.
var errEndLimit = errors.New("it was told to end " + endLimit.String() + " ago")

// EndWork ends all that works for a chat, or for one conversation of it, as /stop and /cancel do, but without a
// word to the chat: its turn, the calls of it, its background work and its background agents. The turn that ctx
// belongs to goes on. No turn begins there until goOn is called, which the caller does in any case, and none any
// more where it says that the records are gone. An error says that something has not ended within 10 s; EndWork may
// be called again.
func (a *Agent) EndWork(ctx context.Context, chat, conversation string) (goOn func(gone bool), err error) {
	of := ongoing.Of{Chat: chat, Session: conversation}
	goOn = a.works.Hold(ctx, of)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), endLimit, errEndLimit)
	defer cancel()
	err = a.works.Turns(ctx, of) // none of them begins a task from here on
	a.work.CloseAll(func(t *session.Task) bool { return of.Covers(ongoing.Of{Chat: t.Chat, Session: t.Session}) })
	if err == nil {
		err = a.works.All(ctx, of)
	}
	if err != nil {
		return goOn, fmt.Errorf("work of the chat goes on: %w", err)
	}
	return goOn, nil
}

// worksFor is the conversation for which a turn works: that of a background agent works for the one that
// started it.
func (a *Agent) worksFor(ctx context.Context, info *session.TurnInfo) ongoing.Of {
	if info.Address.Channel == session.AgentChannel {
		if t, err := a.o.Engine.Tasks().Task(ctx, info.Address.Chat); err == nil {
			return ongoing.Of{Chat: t.Chat, Session: t.Session}
		}
	}
	return ongoing.Of{Chat: info.Chat, Session: info.Session}
}
