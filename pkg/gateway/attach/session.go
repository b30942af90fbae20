package attach

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/events"
	"parley/pkg/gateway/admin"
	"parley/pkg/providers"
	"parley/pkg/visible"
)

// View is the console of a person, or of a program behind a pipe. [console.Channel] is one.
type View interface {
	Run(ctx context.Context, in *channels.Ingress) error
	Send(ctx context.Context, part channels.Part) (channels.Receipt, error)
	Draft(ctx context.Context, at channels.Address, id, text string) error
	Status(ctx context.Context, at channels.Address, note string) error
	Idle(ctx context.Context) error
}

// Session is one console at one chat.
type Session struct {
	client  *Client
	view    View
	watcher Watcher // the view, where it is one
	at      channels.Address
	// alone means that each message is a turn of its own, and that Run returns when all is answered.
	alone bool
	files []string
	house House
	log   zerolog.Logger

	waits *waits

	// The follower's alone.
	begun   bool // the chat was read once: what is not on the screen has come since
	draft   string
	round   int
	turn    events.TurnBegun
	answers []string        // the messages that the turn answers
	shown   map[string]bool // the ids of messages on the screen
	closed  map[string]bool // questions that have their answers
	marked  chan struct{}   // closed when the gateway knows that the last message was seen, or cannot be told
	unmark  func()          // gives up telling it
}

// Options are the parts of a [Session].
type Options struct {
	Client *Client
	View   View
	// Alone is for a console behind a pipe: each message is a turn of its own, Run returns when all
	// is answered, and a gateway that is gone is waited for 20 s; a person is told of it, and waits
	// as long as they like.
	Alone bool
	// Files are the paths of files that go with the first message.
	Files []string
	// House is nil where this process never runs the gateway.
	House House
	Log   zerolog.Logger
}

// New is a session that is not running yet.
func New(o Options) *Session {
	if o.House == nil {
		o.House = elsewhere{}
	}
	s := &Session{
		client: o.Client, view: o.View, alone: o.Alone, files: o.Files, house: o.House, log: o.Log,
		at:    channels.Address{Channel: console.Name, Chat: o.Client.chat},
		shown: map[string]bool{}, closed: map[string]bool{},
		waits: newWaits(), marked: make(chan struct{}), unmark: func() {},
	}
	s.watcher, _ = o.View.(Watcher)
	close(s.marked)
	return s
}

// Busy says whether a turn of the chat is under way.
func (s *Session) Busy() bool { return s.waits.working() }

// Run shows the chat and sends what is typed, until the input or ctx ends. Failed says that a
// message got no answer.
func (s *Session) Run(ctx context.Context) (failed bool, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p, err := s.client.read(ctx)
	if err != nil {
		return false, err
	}
	if err := s.welcome(ctx, &p); err != nil {
		return false, err
	}
	after, err := s.catchUp(ctx, &p)
	if err != nil {
		return false, err
	}
	s.client.patient.Store(!s.alone)
	followed := make(chan struct{})
	rest, halt := context.WithCancel(context.WithoutCancel(ctx))
	defer func() { s.leave(ctx) }()
	go func() {
		defer close(followed)
		c := contact{session: s}
		way := stream{
			client: s.client, over: func() bool { return ended(s.house) },
			lost: func() { c.lost(ctx) }, back: func() { c.back(ctx) },
			take: func(e *event) error { return s.take(rest, e) },
		}
		if err := way.follow(rest, after); rest.Err() == nil {
			stop(err)
		}
	}()
	defer func() { <-followed }()
	defer halt()
	err = s.view.Run(ctx, channels.NewIngress(sink{s}, everybody{}, s.log))
	if err == nil && s.alone && ctx.Err() == nil {
		err = s.Settle(ctx)
	}
	if ctx.Err() != nil {
		err = errors.Join(err, context.Cause(ctx))
		if over := s.house.Ended(); over != nil {
			<-over
			defer time.AfterFunc(lastWords, halt).Stop()
			<-followed
		}
	}
	return s.waits.hasFailed(), err
}

// welcome says which conversation goes on, or that it is a new one.
func (s *Session) welcome(ctx context.Context, p *page) error {
	if s.alone {
		return nil
	}
	text := fmt.Sprintf(textBegins, s.client.chat)
	if m := p.lastSaid(); m != nil {
		text = fmt.Sprintf(textGoesOn, s.client.chat, m.Time.Local().Format(textTime), channels.OneLine(m.Text))
	}
	return s.view.Status(ctx, s.at, text)
}

// lastSaid is the newest message of a person that still counts, or the newest task of a schedule
// where there is none; nil in an empty chat.
func (p *page) lastSaid() *message {
	unasked := map[string]bool{}
	var task *message
	for i := range slices.Backward(p.Messages) {
		switch m := &p.Messages[i]; {
		case m.Role != providers.RoleUser:
			unasked[m.Turn] = unasked[m.Turn] || m.Origin != ""
		case m.Undone:
		case !unasked[m.Turn]:
			return m
		case task == nil:
			task = m
		}
	}
	return task
}

// Settle waits until nothing is under way in the chat, and all that came of it is shown.
func (s *Session) Settle(ctx context.Context) error {
	for {
		mark := rand.Text()
		heard := s.waits.listen(mark)
		if err := s.client.quiet(ctx, mark); err != nil {
			return err
		}
		again := time.NewTimer(patience)
		select {
		case <-heard:
			again.Stop()
			return nil
		case <-again.C: // the event was lost with others, and the chat read anew
		case <-ctx.Done():
			again.Stop()
			return context.Cause(ctx)
		}
	}
}

// lastWords is how long the last events of a gateway that has ended are waited for.
const lastWords = time.Second

// catchUp shows what came while no console was there, and the open questions. After is the event
// behind which it goes on.
func (s *Session) catchUp(ctx context.Context, p *page) (after string, err error) {
	for i := range p.Approvals {
		s.shown[p.Approvals[i].Message] = true
	}
	if err := s.missed(ctx, p); err != nil {
		return "", err
	}
	s.begun = true
	for i := range p.Approvals {
		q := &p.Approvals[i]
		asked := events.Question{
			ID: q.ID, Called: q.Name, Question: fmt.Sprintf(textWaits, q.Name, visible.Fenced(q.Text)), Choices: q.Choices,
			ExpiresAt: q.ExpiresAt, Message: q.Message,
		}
		if err := s.ask(ctx, &asked); err != nil {
			return "", err
		}
	}
	return p.After, nil
}

// missed shows the messages at the end of a chat that the person has not seen, with the words that
// they answer. Later in a session it shows those that are not on this screen, whoever saw them on another.
func (s *Session) missed(ctx context.Context, p *page) error {
	if !s.begun && p.Before > 0 && len(p.Unseen) > 0 && len(p.Unseen) == p.delivered() {
		if err := s.view.Status(ctx, s.at, fmt.Sprintf(textEarlier, admin.Program(), s.client.chat)); err != nil {
			return err
		}
	}
	asked := map[string]string{}
	for i := range p.Messages {
		m := &p.Messages[i]
		switch {
		case m.Role == providers.RoleUser:
			asked[m.Turn] = m.Text
			continue
		case !m.delivered() || s.shown[m.ID]:
			continue
		case !s.begun && !slices.Contains(p.Unseen, m.ID):
			s.shown[m.ID] = true
			continue
		}
		if err := s.answer(ctx, m, asked[m.Turn]); err != nil {
			return err
		}
		delete(asked, m.Turn)
	}
	return nil
}

// answer shows a message behind the words that it answers.
func (s *Session) answer(ctx context.Context, m *message, words string) error {
	if words != "" && !s.alone && m.Origin == "" {
		if err := s.view.Status(ctx, s.at, fmt.Sprintf(textAnswer, channels.OneLine(words))); err != nil {
			return err
		}
	}
	return s.say(ctx, &events.Message{ID: m.ID, Text: m.Text, File: m.File, Origin: m.Origin})
}

// delivered is how many of the messages went to the person.
func (p *page) delivered() int {
	n := 0
	for i := range p.Messages {
		if p.Messages[i].delivered() {
			n++
		}
	}
	return n
}

// delivered says that a message went to the person.
func (m *message) delivered() bool {
	return m.ID != "" && m.Role == providers.RoleAssistant
}
