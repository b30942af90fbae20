package attach

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/pkg/channels"
	"parley/pkg/events"
)

// take shows one event.
func (s *Session) take(ctx context.Context, e *event) error {
	show, ok := map[string]func(context.Context, []byte) error{
		events.TurnBegun{}.Name(): with(s.begin), events.Joined{}.Name(): with(s.joined),
		events.Token{}.Name(): with(s.grow), events.Restart{}.Name(): with(s.again),
		events.Call{}.Name(): with(s.call), events.Question{}.Name(): with(s.ask), events.Resolved{}.Name(): with(s.answered),
		events.Message{}.Name(): with(s.say), events.Notice{}.Name(): with(s.notice), events.Done{}.Name(): with(s.done),
		events.Executing{}.Name(): watched[events.Executing](s), events.Progress{}.Name(): watched[events.Progress](s),
		events.Result{}.Name(): watched[events.Result](s), events.Failure{}.Name(): watched[events.Failure](s),
		reset: func(ctx context.Context, _ []byte) error { return s.anew(ctx) },
	}[e.name]
	if !ok {
		return nil
	}
	return show(ctx, e.data)
}

// with reads the data of an event.
func with[T any](show func(context.Context, *T) error) func(context.Context, []byte) error {
	return func(ctx context.Context, raw []byte) error {
		var d T
		if err := json.Unmarshal(raw, &d); err != nil {
			return fmt.Errorf(textEvent, err)
		}
		return show(ctx, &d)
	}
}

func (s *Session) begin(ctx context.Context, d *events.TurnBegun) error {
	s.turn, s.draft, s.answers = *d, "", nil
	return s.asked(ctx, *d, d.Message, d.Text)
}

// joined notes a further message that the turn answers.
func (s *Session) joined(ctx context.Context, d *events.Joined) error {
	return s.asked(ctx, *d, d.Message, d.Text)
}

// asked notes a message that the turn answers, and shows the words of another console.
func (s *Session) asked(ctx context.Context, d events.Data, message, words string) error {
	s.answers = append(s.answers, message)
	own, err := s.waits.begun(ctx, message)
	switch {
	case err != nil:
		return err
	case s.watcher != nil:
		return s.watcher.Watch(ctx, d, own)
	case own || words == "":
		return nil
	}
	return s.view.Status(ctx, s.at, fmt.Sprintf(textOther, words))
}

func (s *Session) grow(ctx context.Context, d *events.Token) error {
	if s.watcher != nil {
		return s.watcher.Watch(ctx, *d, true)
	}
	s.draft += d.Text
	return s.view.Draft(ctx, s.at, s.turn.Turn+"/"+strconv.Itoa(s.round), s.draft)
}

func (s *Session) again(ctx context.Context, d *events.Restart) error {
	s.round++
	s.draft = ""
	if s.watcher != nil {
		return s.watcher.Watch(ctx, *d, true)
	}
	return nil
}

func (s *Session) call(ctx context.Context, d *events.Call) error {
	s.round++
	s.draft = ""
	if s.watcher != nil {
		return s.watcher.Watch(ctx, *d, true)
	}
	return s.view.Status(ctx, s.at, d.Summary)
}

func (s *Session) notice(ctx context.Context, d *events.Notice) error {
	switch {
	case d.Code == events.CodeQuiet:
		s.waits.hears(d.Text)
		return nil
	case s.watcher != nil:
		return s.watcher.Watch(ctx, *d, true)
	}
	return s.view.Status(ctx, s.at, d.Text)
}

// say shows a message.
func (s *Session) say(ctx context.Context, d *events.Message) error {
	s.draft = ""
	if s.shown[d.ID] && d.Replaces == "" {
		return nil
	}
	s.shown[d.ID] = true
	words := d.Text
	if note := originOf(d.Origin); note != "" && !s.alone && s.watcher == nil { // a script wants the words alone
		if err := s.view.Status(ctx, s.at, note); err != nil {
			return err
		}
	}
	if d.File != "" {
		words = strings.TrimSpace(words + "\n[file] " + d.File)
	}
	err := s.show(ctx, channels.Outbound{ID: d.ID, Text: words, Finishes: d.Replaces, Unasked: channels.Unasked(d.Origin)})
	if err == nil { // else it is shown to the next console
		s.saw(ctx, d.ID)
	}
	return err
}

// originOf says why a message came that nobody waited for.
func originOf(origin string) string {
	switch channels.Unasked(origin) {
	case channels.ByJob:
		return textJob
	case channels.ByTask:
		return textTask
	default:
		return ""
	}
}

// saw tells the gateway that a message is on the screen. The next one waits for it: where the
// gateway is killed, at most one message is shown again.
func (s *Session) saw(ctx context.Context, id string) {
	told := make(chan struct{})
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	s.marked, s.unmark = told, cancel
	go func() {
		defer close(told)
		defer cancel()
		if err := s.client.seen(ctx, id); err != nil && ctx.Err() == nil {
			s.log.Warn().Err(err).Msg("the gateway cannot be told which message was seen")
		}
	}()
}

// leave waits until the gateway knows which messages were seen, or it would show them again to the next
// console. A person who leaves, and one who stops a console behind a pipe, does not wait for long.
func (s *Session) leave(ctx context.Context) {
	soon := func() { time.AfterFunc(2*lastWords, s.unmark) }
	if s.alone {
		defer context.AfterFunc(ctx, soon)()
	} else {
		soon()
	}
	<-s.marked
}

// known waits until the gateway knows that the message before was seen.
func known(ctx context.Context, marked <-chan struct{}) error {
	select {
	case <-marked:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// show puts a message on the screen.
func (s *Session) show(ctx context.Context, o channels.Outbound) error {
	o.Address = s.at
	if err := known(ctx, s.marked); err != nil {
		return err
	}
	_, err := s.view.Send(ctx, channels.Part{Outbound: o})
	return err
}

func (s *Session) done(ctx context.Context, d *events.Done) error {
	if s.watcher != nil {
		if err := s.watcher.Watch(ctx, *d, true); err != nil {
			return err
		}
	}
	if err := s.view.Idle(ctx); err != nil {
		return err
	}
	s.waits.over(s.answers, d.Stop)
	return nil
}

// anew reads the chat after events were missed: turns that ended meanwhile are over.
func (s *Session) anew(ctx context.Context) error {
	p, err := s.client.read(ctx)
	if err != nil {
		return err
	}
	if _, err := s.catchUp(ctx, &p); err != nil {
		return err
	}
	queued := map[string]bool{}
	for _, q := range p.Queued {
		queued[q.Message] = true
	}
	if s.waits.missed(queued) {
		return nil
	}
	return s.view.Idle(ctx)
}
