package agui

import (
	"bytes"
	"context"
	"errors"
	"time"

	"parley/pkg/api/native"
	"parley/pkg/events"
	"parley/pkg/httpd"
	"parley/pkg/session"
)

// beat is the time between two signs of life of a stream: proxies end silent ones.
const beat = 15 * time.Second

// run is a run under way.
type run struct {
	api    *API
	thread string // its id, and that of the run, as the client names them
	id     string
	chat   *native.Chat
	stream *httpd.Stream
	enc    encoder

	resumed []answer
	known   bool // its message was sent before
	// wants are the stored ids of the messages, or the ids of the turns, whose ends end the
	// run. Gone says that the events of one are gone: the store has its outcome.
	wants map[string]bool
	gone  bool
	// after is the id behind which their events follow.
	after string

	message string // the stored id of the message of the present turn
	active  bool   // the present turn is one of the run
	stop    string // how the last one ended
	over    bool   // the last event of the run is in buf
	buf     bytes.Buffer
	err     error
}

// held is the id under which the client knows a call that a person has allowed, or "".
func (r *run) held(call string) string {
	for i := range r.resumed {
		if q := r.resumed[i].question; r.api.o.CallOf(q) == call {
			return callID(q.Call.Turn, q.Call.Round, q.Call.ID)
		}
	}
	return ""
}

// begin stores what the run brings, once.
func (r *run) begin(ctx context.Context, in *input) *httpd.Refusal {
	n, f := in.news()
	if f != nil {
		return f
	}
	if r.resumed, f = r.answers(ctx, in.Resume); f != nil {
		return f
	}
	item := r.chat.Item(route, r.id)
	_, r.known = r.chat.Behind(ctx, item)
	if !r.known && len(n.results) > 0 {
		if f := r.matched(ctx, n); f != nil || r.gone {
			return f
		}
	}
	return r.admit(ctx, n, item)
}

// admit stores what is new, unless a question is open.
func (r *run) admit(ctx context.Context, n *news, item string) *httpd.Refusal {
	// A client whose stream was cut has a part of the answer behind its message, and the ids
	// of results are those of the store no more.
	if r.known && (n.wordless() || len(n.results) > 0) {
		r.want(ctx, item)
		return r.store(ctx, nil, item)
	}
	q := n.message()
	switch {
	case r.known:
		return r.store(ctx, q, item)
	case q == nil && len(r.resumed) == 0:
		return bad("messages", textNoInput)
	}
	open, f := r.chat.Open(ctx)
	if f != nil {
		return f
	}
	if f := uncovered(open, r.resumed); f != nil {
		if q == nil || !r.asked(open, q) {
			return f
		}
		r.gone = true // the same run again, whose question is open and whose events are gone
		return nil
	}
	return r.store(ctx, q, item)
}

// asked says whether the open questions are those of the run itself.
func (r *run) asked(open []session.Approval, q *native.Request) bool {
	for i := range open {
		if !r.chat.Asked(&open[i], q) {
			return false
		}
	}
	return true
}

// store stores the answers and the message of the run, and finds where their events begin.
func (r *run) store(ctx context.Context, q *native.Request, item string) *httpd.Refusal {
	for i := range r.resumed {
		a := &r.resumed[i]
		if !a.over {
			if f := r.chat.Decide(ctx, a.question, a.choice); f != nil {
				return f
			}
		}
		r.want(ctx, a.item)
	}
	if r.after == "" && len(r.resumed) == 1 {
		if after, turn, ok := r.api.o.Hub.MarkOfAnswer(r.chat.Address(), r.resumed[0].question.ID); ok { // answered elsewhere
			r.wants[turn], r.after, r.gone = true, after, false
		}
	}
	if q == nil {
		return nil
	}
	if _, f := r.chat.Say(ctx, route, r.id, q); f != nil {
		return f
	}
	r.want(ctx, item)
	return nil
}

// want follows a stored message.
func (r *run) want(ctx context.Context, item string) {
	after, ok := r.chat.Behind(ctx, item)
	if !ok {
		r.gone = true
		return
	}
	r.wants[item] = true
	if r.after == "" {
		r.after = after
	}
}

// follow streams the events of the run to its end.
func (r *run) follow(ctx context.Context) error {
	if len(r.wants) == 0 {
		r.finish(ctx)
		return r.flush()
	}
	reader, err := r.api.o.Hub.Follow(r.chat.Address(), r.after)
	if err != nil {
		r.fail(textLost, "events_lost")
		return r.flush()
	}
	defer reader.Close()
	for {
		if err := r.flush(); err != nil || r.over {
			return err
		}
		wait, cancel := context.WithTimeout(ctx, beat)
		batch, err := reader.Next(wait)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, events.ErrReset):
			r.fail(textLost, "events_lost")
		case err != nil:
			r.buf.WriteString(":\n\n")
			r.dropped(ctx)
		}
		for i := range batch {
			if !r.over {
				r.event(ctx, batch[i].Data)
			}
		}
	}
}

// event takes in an event of the chat.
func (r *run) event(ctx context.Context, d events.Data) {
	switch d := d.(type) {
	case events.TurnBegun:
		r.message = d.Message
		if r.active = r.wants[d.Message] || r.wants[d.Turn]; r.active {
			r.enc.begin(d.Turn)
		}
		return
	case events.Done:
		r.done(ctx, &d)
		return
	}
	if !r.active {
		return
	}
	switch d := d.(type) {
	case events.Failure:
		r.fail(d.Message, d.Code)
	case events.Resolved:
		r.resolved(&d)
	default:
		r.enc.event(d)
	}
}

// resolved gives the call of a question its result where it will not run.
func (r *run) resolved(d *events.Resolved) {
	text := textUnanswered
	switch d.Decision {
	case native.ChoiceOf(true, false), native.ChoiceOf(true, true):
		return
	case native.ChoiceOf(false, false):
		text = textDenied
	}
	for i := range r.resumed {
		if q := r.resumed[i].question; q.ID == d.ID {
			r.enc.answer(callID(q.Call.Turn, q.Call.Round, q.Call.ID), text)
		}
	}
}

// done is the end of a turn.
func (r *run) done(ctx context.Context, d *events.Done) {
	if !r.active { // it may have dropped messages that waited
		r.dropped(ctx)
		return
	}
	r.active, r.stop = false, d.Stop
	r.enc.usage.Input += d.Usage.Input
	r.enc.usage.Output += d.Usage.Output
	delete(r.wants, r.message)
	delete(r.wants, d.Turn)
	if len(r.wants) == 0 {
		r.finish(ctx)
	}
}

// dropped ends a run whose messages wait no more and have no turn: a command took them.
func (r *run) dropped(ctx context.Context) {
	if r.active {
		return
	}
	for item := range r.wants {
		if _, ok := r.chat.Behind(ctx, item); !ok {
			delete(r.wants, item)
			r.gone = true
		}
	}
	if len(r.wants) == 0 {
		r.finish(ctx)
	}
}

// finish ends the run as its last turn ended.
func (r *run) finish(ctx context.Context) {
	pending := r.enc.end()
	if r.gone {
		all, err := r.snapshot(ctx)
		if err != nil {
			r.api.o.Log.Error().Err(err).Msg("a chat cannot be read for AG-UI")
			r.fail(textFailed, "internal_error")
			return
		}
		if len(all.Messages) > 0 {
			r.put(all)
		}
	}
	open, f := r.chat.Open(ctx)
	if f != nil {
		r.fail(f.Message, f.Code)
		return
	}
	end := &frame{Type: typeRunFinished, ThreadID: r.thread, RunID: r.id, Outcome: &outcome{Type: outcomeSuccess, Pending: pending}}
	switch {
	case len(open) > 0:
		end.Outcome = &outcome{Type: outcomeInterrupt, Interrupts: r.interrupts(open)}
	case r.stop == events.StopStopped:
		end.Outcome = &outcome{Type: outcomeCancelled}
	}
	if u := r.enc.usage; u != (usage{}) {
		end.Usage = []usage{u}
	}
	r.put(end)
	r.over = true
}

// fail ends the run with an error.
func (r *run) fail(message, code string) {
	if r.over {
		return
	}
	r.enc.end()
	r.put(&frame{Type: typeRunError, Message: message, Code: code})
	r.over = true
}

// put adds a frame to what leaves next.
func (r *run) put(f *frame) {
	if r.over {
		return
	}
	data, err := f.record()
	if err != nil {
		r.err = err
		return
	}
	r.buf.Write(data)
}

// flush sends the frames that were put.
func (r *run) flush() error {
	if r.err != nil || r.buf.Len() == 0 {
		return r.err
	}
	err := r.stream.Write(r.buf.Bytes())
	r.buf.Reset()
	if r.buf.Cap() > maxBuffer {
		r.buf = bytes.Buffer{}
	}
	return err
}

// maxBuffer is how much room a stream keeps for its next events: streams are idle mostly.
const maxBuffer = 16 << 10
