package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"
	"github.com/rs/zerolog"

	"parley/internal/failpoint"
	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/update"
	"parley/pkg/channels/wire"
)

const (
	pollTimeout = 30 * time.Second
	// A poll that takes that much longer hangs: its connection is dead.
	pollGrace = 10 * time.Second
	// The poll after a failure is a short one: it tells soon whether all is well again.
	probeTimeout = time.Second
	batchSize    = 100
	// A server that repeats confirmed updates, or sends updates without an id, is not
	// asked more often than that.
	stuckPause = time.Second
)

// allowedUpdates are the kinds that are asked for. Telegram may send others that
// it had before it was asked.
const allowedUpdates = `["message","edited_message","callback_query","my_chat_member"]`

// poller takes in by long polling. A batch and the offset after it are stored in
// one step, and only then does a poll with that offset confirm the batch.
type poller struct {
	client *api.Client
	intake *intake
	status *status
	log    zerolog.Logger
	cursor string
	// stored is the cursor as the store has it, offset its value.
	stored string
	offset int64
	// confirms says that the next successful poll confirms something.
	confirms bool
	// guessing says that the last batch had an update without an id.
	guessing bool
	// ahead are updates past the offset that are stored already; albums says until
	// when the parts of an album are waited for. Both are of at most a batch or two.
	ahead    map[int64]bool
	albums   map[update.Album]time.Time
	deleted  bool
	conflict *backoff.Exponential
	other    *wire.Pauses
}

// run polls until ctx ends.
func (p *poller) run(ctx context.Context) {
	p.conflict = backoff.New(minConflictPause, maxConflictPause)
	p.other = wire.NewPauses(minPause, maxPause)
	for ctx.Err() == nil {
		err := p.follow(ctx)
		if ctx.Err() != nil {
			return // updates that were not stored come again
		}
		err = confirm(ctx, p.client, err)
		pause := p.pauseAfter(ctx, err)
		p.status.interrupted(err, pause, "polling is interrupted")
		if !backoff.Sleep(ctx, pause) {
			return
		}
	}
}

// pauseAfter is the wait after err, and applies the remedy for err if it has one.
func (p *poller) pauseAfter(ctx context.Context, err error) time.Duration {
	if we, ok := errors.AsType[*wire.Error](err); ok && errors.Is(we, context.DeadlineExceeded) {
		p.client.Reconnect()
	}
	ae, ok := errors.AsType[*api.Error](err)
	if !ok || ae.Code != http.StatusConflict {
		return after(p.other, err)
	}
	if ae.Says("webhook") && !p.deleted {
		p.deleted = true // once: an operator who sets it again wants it
		err := p.deleteWebhook(ctx)
		if err == nil {
			return p.other.Failed(0)
		}
		p.log.Warn().Err(err).Msg("the webhook is still set")
	}
	return backoff.Spread(p.conflict.Next())
}

// deleteWebhook keeps the updates that wait for delivery.
func (p *poller) deleteWebhook(ctx context.Context) error {
	p.log.Warn().Msg("a webhook is set and this account polls: the webhook is removed")
	return p.client.Call(ctx, "deleteWebhook", tgbotapi.Params{"drop_pending_updates": "false"}, nil)
}

// follow polls from the stored position on until something fails.
func (p *poller) follow(ctx context.Context) error {
	if err := p.load(ctx); err != nil {
		return err
	}
	wait := pollTimeout
	if p.status.health.Read().State != channels.HealthOK {
		wait = probeTimeout
	}
	for {
		began := time.Now()
		updates, err := p.getUpdates(ctx, wait)
		if err != nil {
			return err
		}
		if p.confirms {
			p.confirms = false
			failpoint.Hit("P3")
		}
		p.status.works()
		p.conflict.Reset()
		p.other.Reset()
		if len(updates) == 0 && time.Since(began) < minPause && !backoff.Sleep(ctx, minPause) { // it does not hold polls
			return ctx.Err()
		}
		before := p.offset
		if wait, err = p.take(ctx, updates); err != nil {
			return err
		}
		stuck := len(updates) > 0 && p.offset == before && wait != 0
		if (stuck || p.guessing) && !backoff.Sleep(ctx, stuckPause) {
			return ctx.Err()
		}
	}
}

// load reads the stored position. Knowledge beyond it no longer counts.
func (p *poller) load(ctx context.Context) error {
	stored, err := p.intake.in.Position(ctx, p.cursor)
	if err != nil {
		return err
	}
	p.offset = 0
	if stored != "" {
		if p.offset, err = strconv.ParseInt(stored, 10, 64); err != nil {
			return errors.New("the stored position is not a number")
		}
	}
	if stored != p.stored || p.ahead == nil {
		p.ahead, p.albums = map[int64]bool{}, map[update.Album]time.Time{}
	}
	p.stored = stored
	return nil
}

func (p *poller) getUpdates(ctx context.Context, wait time.Duration) ([]json.RawMessage, error) {
	params := tgbotapi.Params{
		"timeout":         strconv.Itoa(int(wait.Seconds())),
		"limit":           strconv.Itoa(batchSize),
		"allowed_updates": allowedUpdates,
	}
	if p.offset != 0 {
		params["offset"] = strconv.FormatInt(p.offset, 10)
	}
	ctx, cancel := context.WithTimeout(ctx, wait+pollGrace)
	defer cancel()
	var updates []json.RawMessage
	err := p.client.Poll(ctx, params, &updates)
	return updates, err
}

// take has everything stored that the server gave, and moves the offset behind it.
// It returns how long the next poll may wait.
func (p *poller) take(ctx context.Context, updates []json.RawMessage) (time.Duration, error) {
	all, named := p.decode(updates)
	events := all[:named]
	open := p.openAlbum(events)
	if err := p.store(ctx, events[:open]); err != nil {
		return 0, err
	}
	switch {
	case open < named:
		return 0, p.hold(ctx, events[open:])
	case named < len(all):
		return 0, p.besideName(ctx, all[named:])
	}
	return pollTimeout, nil
}

// besideName stores events that do not wait for the bot's name, as the first of events
// does, without moving the offset, and waits a moment for the name. A chat in which
// something waits waits from there on.
func (p *poller) besideName(ctx context.Context, events []*update.Event) error {
	waiting := map[string]bool{}
	var free []*update.Event
	for _, ev := range events {
		if ev.Moved != nil {
			break
		}
		if ev.NeedsName {
			waiting[ev.Address.Chat] = true
		}
		if !waiting[ev.Address.Chat] {
			free = append(free, ev)
		}
	}
	if err := p.storeAhead(ctx, update.Merge(free[:p.openAlbum(free)])); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, stuckPause)
	defer cancel()
	if p.intake.me.wait(wait) != nil {
		return ctx.Err() // the next look comes after a second
	}
	return nil
}

// decode reads updates, each alone; named are those before the first that needs
// the bot's name while that is unknown.
func (p *poller) decode(updates []json.RawMessage) (events []*update.Event, named int) {
	me, last := p.intake.me.read(), p.offset-1
	p.guessing, named = false, -1
	for i, raw := range updates {
		ev := p.intake.read(raw, me)
		if ev.NeedsName && named < 0 {
			named = i
		}
		if !ev.Numbered {
			ev.ID, p.guessing = last+1, true // they are sequential
		}
		last = ev.ID
		if p.ahead[ev.ID] {
			ev = ev.Empty()
		}
		events = append(events, ev)
	}
	if named < 0 {
		named = len(events)
	}
	return events, named
}

// store hands events on, in order, and moves the cursor behind them.
func (p *poller) store(ctx context.Context, events []*update.Event) error {
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Moved == nil {
			n++
		}
		if err := p.storeRun(ctx, events[:n]); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

// storeRun stores events of which at most the first is a migration.
func (p *poller) storeRun(ctx context.Context, events []*update.Event) error {
	last := events[len(events)-1].ID
	if err := p.move(ctx, events[0]); err != nil {
		return err
	}
	to := strconv.FormatInt(last+1, 10)
	if err := p.deliver(ctx, update.Merge(events), &channels.Cursor{Name: p.cursor, From: p.stored, To: to}); err != nil {
		return err
	}
	p.stored, p.offset, p.confirms = to, last+1, true
	for _, ev := range events {
		delete(p.ahead, ev.ID)
		delete(p.albums, ev.Album())
	}
	return nil
}

// move tells of a migration before the update that tells it is confirmed.
func (p *poller) move(ctx context.Context, ev *update.Event) error {
	if ev.Moved == nil {
		return nil
	}
	return p.until(ctx, "a chat that has become a supergroup is not moved yet", func() error {
		return p.intake.move(ctx, ev.Moved)
	})
}

// storeAhead stores events while something before them still waits, so that the
// cursor stays where it is.
func (p *poller) storeAhead(ctx context.Context, events []*update.Event) error {
	if err := p.deliver(ctx, events, nil); err != nil {
		return err
	}
	for _, ev := range events {
		for _, id := range ev.IDs() {
			p.ahead[id] = true
		}
		delete(p.albums, ev.Album())
		ev.Item, ev.Callback = nil, ""
	}
	return nil
}

// deliver hands the items of events on until they are stored.
func (p *poller) deliver(ctx context.Context, events []*update.Event, cursor *channels.Cursor) error {
	items := make([]channels.Inbound, 0, len(events))
	for _, ev := range events {
		p.intake.unread.Keep(ev.Unread, ev.Raw)
		if ev.Item != nil {
			items = append(items, ev.Inbound())
		}
	}
	if len(items) == 0 && cursor == nil {
		return nil
	}
	err := p.until(ctx, "what arrived is not stored yet", func() error { return p.intake.in.Deliver(ctx, items, cursor) })
	if err != nil {
		return err
	}
	for _, ev := range events {
		if ev.Callback != "" {
			p.intake.presses.answer(ctx, ev.Callback)
		}
	}
	return nil
}

// until tries again until do succeeds, ctx ends or another poller has taken over.
func (p *poller) until(ctx context.Context, failing string, do func() error) error {
	pauses := backoff.New(minPause, maxPause)
	for {
		err := do()
		if err == nil {
			p.status.works()
			return nil
		}
		if ctx.Err() != nil || errors.Is(err, channels.ErrFenced) {
			return err
		}
		p.status.fails(err)
		wait := backoff.Spread(pauses.Next())
		p.log.Error().Err(err).Dur("pause", wait).Msg(failing)
		if !backoff.Sleep(ctx, wait) {
			return ctx.Err()
		}
	}
}
