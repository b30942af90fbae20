package inbound

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/slack/event"
	"parley/pkg/channels/wire"
)

const (
	// How many events are stored in one step, how many wait for it, and how many
	// that were not stored are kept for another attempt.
	maxBatch   = 100
	maxQueue   = 1024
	maxHeld    = 1024
	maxHeldMiB = 32
	// How many copies of one event are acknowledged once it is stored.
	maxCopies = 8
	// How long a socket is not read while the queue is full. Then the event is left
	// out, and Slack sends it again.
	queueWait = 10 * time.Second
	// How long it may take to know whether a thread is alive.
	aliveWait = 2 * time.Second
	// The pauses before an event that was not stored is tried again.
	minStorePause = 100 * time.Millisecond
	maxStorePause = 30 * time.Second
)

// intake has everything stored that arrives, in the order in which it arrived, and
// acknowledged once it is. Waiting events are stored in one step. Where that fails,
// chat by chat: a chat that fails holds back its own events alone.
type intake struct {
	in    *channels.Ingress
	alive func(ctx context.Context, a channels.Address) (bool, error)
	heard func(at channels.Address, ts, user string)
	// commanded is [Options].Commanded.
	commanded func(at channels.Address, reply string) (forget func())
	unread    *wire.Unread
	status    *status
	log       zerolog.Logger

	queue chan *taken
	held  []*taken
	bytes int // of held
	pause *backoff.Exponential
	again *time.Timer
	// due says that again is set.
	due bool
}

// taken is an event on its way into the store.
type taken struct {
	*event.Event

	// done are told whether it is stored: each copy that came has one.
	done []func(stored bool)
}

func newIntake(r *Receiver, in *channels.Ingress) *intake {
	return &intake{
		in: in, alive: r.opt.Alive, heard: r.opt.Heard, commanded: r.opt.Commanded, status: r.status, log: r.log,
		unread: &wire.Unread{To: r.opt.Unread, Log: r.log, Noun: "an envelope"}, queue: make(chan *taken, maxQueue),
		pause: backoff.New(minStorePause, maxStorePause),
	}
}

// take queues an event. It tells done once the event is stored, and perhaps before that
// it is not yet; an event that cannot be kept has no report.
func (i *intake) take(ctx context.Context, ev *event.Event, done func(stored bool)) {
	t := &taken{Event: ev, done: []func(bool){done}}
	select {
	case i.queue <- t:
		return
	default:
	}
	wait := time.NewTimer(queueWait)
	defer wait.Stop()
	select {
	case i.queue <- t:
	case <-ctx.Done():
	case <-wait.C:
		i.log.Warn().Msg("an event is left to come again: too much waits to be stored")
	}
}

// run stores the queued events until ctx ends.
func (i *intake) run(ctx context.Context) {
	i.again = time.NewTimer(0)
	defer i.again.Stop()
	<-i.again.C
	for {
		queue := i.queue
		if len(i.held) >= maxHeld || i.bytes >= maxHeldMiB<<20 {
			queue = nil // new events wait for the held ones
		}
		select {
		case <-ctx.Done():
			return
		case first := <-queue:
			i.fresh(ctx, i.collect(first))
		case <-i.again.C:
			held := i.held
			i.held, i.bytes, i.due = nil, 0, false
			i.store(ctx, held)
		}
	}
}

// collect takes the events that are there.
func (i *intake) collect(first *taken) []*taken {
	batch := []*taken{first}
	for len(batch) < maxBatch {
		select {
		case t := <-i.queue:
			batch = append(batch, t)
		default:
			return batch
		}
	}
	return batch
}

// fresh stores new events; those in a chat that is held are held too.
func (i *intake) fresh(ctx context.Context, batch []*taken) {
	waiting := map[string]bool{}
	for _, t := range i.held {
		waiting[t.Chat] = true
	}
	var free []*taken
	for _, t := range batch {
		if len(t.Items) > 0 && waiting[t.Chat] {
			i.hold(t)
			continue
		}
		free = append(free, t)
	}
	i.store(ctx, free)
}

// hold keeps an event for another attempt. A copy of one that is held joins it; of
// both shapes of a post the one that speaks to the bot is kept.
func (i *intake) hold(t *taken) {
	for _, other := range i.held {
		if other.key() == t.key() {
			if t.mentions() && !other.mentions() {
				i.bytes += t.Size - other.Size
				other.Event = t.Event
			}
			other.done = append(other.done, t.done...)
			other.done = other.done[max(0, len(other.done)-maxCopies):]
			return
		}
	}
	i.held = append(i.held, t)
	i.bytes += t.Size
}

// key says which event it is: copies have the same.
func (t *taken) key() string {
	var b strings.Builder
	for n := range t.Items {
		b.WriteString(t.Items[n].ID + "\n")
	}
	return b.String()
}

// mentions says whether it is known to speak to the bot.
func (t *taken) mentions() bool { return t.Items[0].Mentioned }

// store stores events, holds those that cannot be and tells the health.
func (i *intake) store(ctx context.Context, all []*taken) {
	var failed error
	spoiled := map[string]bool{}
	for len(all) > 0 {
		n := i.step(all)
		if err := i.batch(ctx, all[:n], spoiled); err != nil {
			failed = err
		}
		all = all[n:]
	}
	if ctx.Err() != nil {
		return // it comes again
	}
	switch {
	case failed != nil:
		i.status.fails(storing, channels.HealthDegraded, "what arrived is not stored yet: "+failed.Error())
		if i.due {
			return
		}
		wait := backoff.Spread(i.pause.Next())
		i.log.Error().Err(failed).Int("waiting", len(i.held)).Dur("pause", wait).Msg("what arrived is not stored yet")
		i.due = true
		i.again.Reset(wait)
	case len(i.held) == 0:
		i.pause.Reset()
		i.status.works(storing)
	}
}

// step is how many events are stored together: whether a thread is alive is asked after
// the earlier events in it are stored.
func (i *intake) step(all []*taken) int {
	seen := map[channels.Address]bool{}
	for n, t := range all {
		if n == maxBatch || t.Asks && seen[t.Items[0].Address] {
			return n
		}
		for k := range t.Items {
			seen[t.Items[k].Address] = true
		}
	}
	return len(all)
}

// batch stores events in one step, or else chat by chat. A chat that is spoiled is left
// out from then on.
func (i *intake) batch(ctx context.Context, all []*taken, spoiled map[string]bool) error {
	var failed error
	fail := func(t *taken, err error) {
		failed = err
		spoiled[t.Chat] = true
		i.hold(t)
		t.tell(false)
	}
	var ready []*taken
	for _, t := range all {
		if len(t.Items) == 0 {
			i.unread.Keep(t.Unread, t.Raw)
			t.tell(true)
			continue
		}
		if spoiled[t.Chat] {
			i.hold(t)
			t.tell(false)
			continue
		}
		if err := i.ask(ctx, t); err != nil {
			fail(t, err)
			continue
		}
		ready = append(ready, t)
	}
	if len(ready) == 0 {
		return failed
	}
	err := i.deliver(ctx, ready)
	if err == nil || ctx.Err() != nil {
		return failed
	}
	for _, t := range ready {
		if spoiled[t.Chat] {
			i.hold(t)
			t.tell(false)
			continue
		}
		if err := i.deliver(ctx, []*taken{t}); err != nil {
			fail(t, err)
		}
	}
	return failed
}

// ask finds out whether a reply in a thread speaks to the bot without naming it.
func (i *intake) ask(ctx context.Context, t *taken) error {
	if !t.Asks || i.alive == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, aliveWait)
	defer cancel()
	alive, err := i.alive(ctx, t.Items[0].Address)
	if err != nil {
		return fmt.Errorf("is the thread alive: %w", err)
	}
	for n := range t.Items {
		t.Items[n].Mentioned = alive
	}
	return nil
}

// deliver hands events on and has them acknowledged.
func (i *intake) deliver(ctx context.Context, all []*taken) error {
	var items []channels.Inbound
	for _, t := range all {
		items = append(items, t.Items...)
	}
	settled := i.command(all)
	passed, err := i.in.Admit(ctx, items, nil)
	if err != nil {
		return err
	}
	settled(passed)
	i.remember(passed)
	for _, t := range all {
		t.tell(true)
	}
	return nil
}

// command tells the way out of the slash commands among events, and settled which of them
// were let in: a turn may fail to answer before that is known here.
func (i *intake) command(all []*taken) (settled func(passed []channels.Inbound)) {
	forget := map[string]func(){}
	for _, t := range all {
		if t.Reply != "" && i.commanded != nil {
			forget[t.Items[0].ID] = i.commanded(t.Items[0].Address, t.Reply)
		}
	}
	return func(passed []channels.Inbound) {
		for n := range passed {
			delete(forget, passed[n].ID)
		}
		for _, f := range forget {
			f()
		}
	}
}

// remember tells the way out the last message that was let in, and its sender.
func (i *intake) remember(passed []channels.Inbound) {
	for n := range passed {
		if in := &passed[n]; in.Kind == channels.KindMessage && in.MessageID != "" {
			i.heard(in.Address, in.MessageID, in.Sender.ID)
		}
	}
}

// tell tells all copies whether the event is stored.
func (t *taken) tell(stored bool) {
	for _, done := range t.done {
		done(stored)
	}
}
