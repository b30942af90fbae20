package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
	"parley/pkg/fair"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// writer shows a turn to its client.
type writer interface {
	// tell shows one event of the turn. An error means that the client is gone.
	tell(d events.Data) error
	// flush sends what was told.
	flush() error
	// beat is called when nothing was told for a while.
	beat() error
	// end is called once the turn is over, and refuse where its end is not known here. What
	// they return is the answer, unless that has begun.
	end() *httpd.Refusal
	refuse(f *httpd.Refusal) *httpd.Refusal
}

const (
	// How long a stream is silent at first, and between two signs of life.
	firstBeat = 2 * time.Second
	nextBeat  = 15 * time.Second
	// The bound stopWait is that of the storing of the order to stop.
	stopWait = 5 * time.Second
)

// errGone says that the events of the turn are not there any more.
var errGone = errors.New("openai: the events of the turn are gone")

// run stores the message of a request, and shows its turn.
func (a *API) run(w http.ResponseWriter, r *http.Request, p *place, m channels.Inbound, out writer) *httpd.Refusal {
	ctx := r.Context()
	var err error
	if m.Attachments, err = bring(ctx, a, p); err != nil {
		return a.fault(err)
	}
	free, err := begin(ctx, a.places, p.sender.ID)
	if err != nil {
		return a.fault(err)
	}
	defer free()
	if err := lasts(w); err != nil {
		return a.fault(err)
	}
	after, err := a.store(ctx, p, m)
	if err == nil {
		finally(w, p)
		err = a.follow(ctx, p, after, out)
	}
	if errors.Is(err, errGone) && ctx.Err() == nil {
		var f *httpd.Refusal
		if f, err = a.replay(ctx, p, out); f != nil {
			return out.refuse(f)
		}
	}
	switch {
	case err == nil:
		return out.end()
	case ctx.Err() == nil:
		return out.refuse(a.fault(err))
	default:
		a.left(ctx, p)
		return out.refuse(&httpd.Refusal{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: textNotNow})
	}
}

// begin waits until a request of a person may begin. The caller calls free when its turn is
// over.
func begin(ctx context.Context, places *fair.Places, person string) (free func(), err error) {
	over, err := places.Take(ctx, person, nil)
	if err != nil {
		return nil, err
	}
	over = sync.OnceFunc(over)
	late := time.AfterFunc(quick, over)
	return func() {
		late.Stop()
		over()
	}, nil
}

// lasts lifts the deadlines of a request: a turn takes as long as it takes.
func lasts(w http.ResponseWriter) error {
	to := http.NewResponseController(w)
	return errors.Join(to.SetReadDeadline(time.Time{}), to.SetWriteDeadline(time.Time{}))
}

// store stores the message, and gives the id behind which its events follow. A message that
// comes again may be answered already: [errGone] then, where its events are gone.
func (a *API) store(ctx context.Context, p *place, m channels.Inbound) (after string, err error) {
	mark := a.o.Hub.Mark(p.at)
	if err := a.o.Post(ctx, m); err != nil {
		return "", err
	}
	if p.fresh() {
		return mark, nil
	}
	if begun, ok := a.o.Hub.MarkOf(p.at, p.item()); ok {
		return begun, nil
	}
	_, err = a.o.Store.Waits(ctx, p.item())
	if !errors.Is(err, session.ErrNotFound) {
		return mark, err
	}
	if begun, ok := a.o.Hub.MarkOf(p.at, p.item()); ok { // it was quick
		return begun, nil
	}
	return "", errGone
}

// follow tells the events of the turn, up to its end.
func (a *API) follow(ctx context.Context, p *place, after string, out writer) error {
	reader, err := a.o.Hub.Follow(p.at, after)
	if errors.Is(err, events.ErrReset) {
		return errGone
	}
	if err != nil {
		return err
	}
	defer reader.Close()
	f := following{item: p.item(), out: out}
	pause := firstBeat
	for {
		wait, cancel := context.WithTimeout(ctx, pause)
		batch, err := reader.Next(wait)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, events.ErrReset):
			return errGone
		case err != nil:
			pause = nextBeat
			err = out.beat()
		default:
			err = f.tell(batch)
		}
		if err != nil || f.over {
			return err
		}
	}
}

// following finds the events of one turn among those of its chat.
type following struct {
	item       string
	out        writer
	mine, over bool
}

func (f *following) tell(batch []events.Event) error {
	for i := range batch {
		if begun, ok := batch[i].Data.(events.TurnBegun); ok {
			f.mine = begun.Message == f.item
		}
		if !f.mine {
			continue
		}
		if err := f.out.tell(batch[i].Data); err != nil {
			return err
		}
		if _, f.over = batch[i].Data.(events.Done); f.over {
			return nil // see [writer.end]
		}
	}
	return f.out.flush()
}

// left ends the turn of a client that has gone and cannot come back to it.
func (a *API) left(ctx context.Context, p *place) {
	if p.keyed || !a.o.TakesIn() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	stop := p.inbound("stop/"+p.id, "/stop", &channels.Wish{})
	stop.Original = p.id // not the turn of another client, before or behind it
	if err := a.o.Post(ctx, stop); err != nil {
		a.o.Log.Warn().Err(err).Msg("the turn of a program that has gone could not be stopped")
	}
}

// replay tells a turn that ended, from the store.
func (a *API) replay(ctx context.Context, p *place, out writer) (*httpd.Refusal, error) {
	fact, err := a.turnOf(ctx, p)
	if errors.Is(err, session.ErrNotFound) || err == nil && !fact.Ended {
		return &httpd.Refusal{Status: http.StatusConflict, Code: "conflict", Message: fmt.Sprintf(textAnswered, p.chat())}, nil
	}
	if err != nil {
		return nil, err
	}
	past, err := a.past(ctx, &fact)
	if err != nil {
		return nil, err
	}
	return nil, past.tell(out)
}

// turnOf is the turn of the message of a place, in its chat. The id of a message alone is none
// of a chat: a client may have made it up.
func (a *API) turnOf(ctx context.Context, p *place) (session.TurnFact, error) {
	info, err := a.o.Store.Lookup(ctx, p.at)
	if err != nil {
		return session.TurnFact{}, err
	}
	fact, err := a.o.Store.TurnOf(ctx, p.item())
	if err == nil && fact.Chat != info.Chat {
		err = session.ErrNotFound
	}
	if err == nil && fact.Program != nil && fact.Program.Deleted {
		err = session.ErrNotFound
	}
	return fact, err
}
