package outbound

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/slack-go/slack"

	"parley/pkg/channels/slack/api"
)

const (
	// How long a call that takes a reaction away may take, and all of them together
	// when the channel ends.
	unmarkTimeout = 10 * time.Second
	lastUnmark    = 3 * time.Second
	// How often that is tried, and the least time between two tries.
	maxUnmark   = 5
	unmarkPause = time.Second
	// How many reactions there are at once, and how many are being taken away.
	maxMarks  = 1024
	maxBeside = 32
)

// marks are the reactions that are on messages, each with the timer that takes it
// away: no send waits for that. The zero value is ready. They are gone by nature: of
// a process that is killed a reaction stays.
type marks struct {
	client *api.Client
	log    zerolog.Logger

	mu     sync.Mutex
	closed bool
	timers map[spot]*time.Timer
	busy   int
	work   sync.WaitGroup
}

// keep lets a reaction stay a while longer; false if there is no reaction.
func (m *marks) keep(at spot) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	timer, ok := m.timers[at]
	if ok {
		timer.Reset(reactionIdle)
	}
	return ok
}

// room says whether there may be one more.
func (m *marks) room() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.closed && len(m.timers) < maxMarks
}

// put sets when f is called about a reaction; not once the marks are closed.
func (m *marks) put(at spot, after time.Duration, f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	if m.timers == nil {
		m.timers = map[spot]*time.Timer{}
	}
	if old, ok := m.timers[at]; ok {
		old.Stop()
	}
	m.timers[at] = time.AfterFunc(after, f)
}

// begin takes a reaction out, to take it away; end follows. Where too much is under
// way its time comes a little later.
func (m *marks) begin(at spot) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	timer, ok := m.timers[at]
	switch {
	case !ok || m.closed:
		return false
	case m.busy == maxBeside:
		timer.Reset(unmarkPause)
		return false
	}
	delete(m.timers, at)
	m.busy++
	m.work.Add(1)
	return true
}

func (m *marks) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy--
	m.work.Done()
}

// close stops new reactions and gives those that are left.
func (m *marks) close() []spot {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	var left []spot
	for at, timer := range m.timers {
		timer.Stop()
		left = append(left, at)
	}
	m.timers = nil
	return left
}

// unmark takes a reaction away after a while, which [marks.keep] prolongs. A call that
// may succeed later is tried again, at most maxUnmark times in all: it is for the eye.
func (m *marks) unmark(ctx context.Context, at spot, after time.Duration, tries int) {
	ctx = context.WithoutCancel(ctx)
	m.put(at, after, func() {
		if !m.begin(at) {
			return
		}
		defer m.end()
		bounded, cancel := context.WithTimeout(ctx, unmarkTimeout)
		defer cancel()
		err := m.unreact(bounded, at)
		if err == nil {
			return
		}
		m.log.Debug().Err(err).Msg("a reaction is not taken away")
		refusal, refused := errors.AsType[*api.Error](err)
		if tries++; tries >= maxUnmark || refused && !refusal.Passes() {
			return
		}
		pause := unmarkPause << tries
		if refused {
			pause = max(pause, refusal.RetryAfter)
		}
		m.unmark(ctx, at, pause, tries)
	})
}

func (m *marks) unreact(ctx context.Context, at spot) error {
	return m.client.Call(ctx, "reactions.remove", func(ctx context.Context, web *slack.Client) error {
		return web.RemoveReactionContext(ctx, workingReaction, slack.NewRefToMessage(at.chat, at.ts))
	})
}

// closeAll waits for the calls beside the sends, and takes the reactions away that are
// left: after a restart they are unknown.
func (m *marks) closeAll(ctx context.Context) {
	left := m.close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastUnmark)
	defer cancel()
	var all sync.WaitGroup
	places := make(chan struct{}, maxBeside)
	for _, at := range left {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if err := m.unreact(ctx, at); err != nil {
				m.log.Debug().Err(err).Msg("a reaction is not taken away")
			}
		})
	}
	all.Wait()
	m.work.Wait()
}
