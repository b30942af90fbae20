package console

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/events"
)

// ErrInterrupted says that the person left by Ctrl-C.
var ErrInterrupted = errors.New("the console was left by Ctrl-C")

// Options say where the person is, and what the console may ask.
type Options struct {
	In, Out   *os.File
	LookupEnv func(string) (string, bool)
	Environ   []string
	// Chat is the conversation's id, and Back the command that goes on with it.
	Chat, Back string
	// Busy says whether a turn is under way.
	Busy func() bool
	// Commands are those of the gateway.
	Commands func(ctx context.Context) ([]Command, error)
	// History is the file of the lines that were sent, see [history.Path]; Redact takes secrets
	// out of them.
	History string
	Redact  func(string) string
}

// Command is a command of the gateway.
type Command struct {
	// Name is without its slash; Usage has its arguments, Does says what it does.
	Name, Usage, Does string
	Args              []Argument
}

// Argument is a word behind a [Command], with the words that there are.
type Argument struct {
	Kind   string
	Values []string
}

// Console is a person's console. It is the view of one session.
type Console struct {
	o    Options
	run  string
	acts chan act
	// away is closed when no more is shown, ends when Run is to end.
	away  chan struct{}
	ends  chan struct{}
	shown atomic.Uint64
	sent  atomic.Uint64
	term  *terminal
	life  context.Context //nolint:containedctx // that of Run, for what the loop begins
	// editing says that an editor has the terminal.
	editing atomic.Bool

	mu sync.Mutex
	// looping says that the loop of the program has the model. Before and behind that it is
	// under mu: what is said then is written without a frame.
	looping bool
	model   *model
}

// act changes the console and is then shown. It is told when that was done.
type act struct {
	do   func(*model)
	done chan<- error
}

// New is a console that is not running yet.
func New(o Options) *Console {
	c := &Console{
		o: o, run: rand.Text(), acts: make(chan act), away: make(chan struct{}), ends: make(chan struct{}),
		term: newTerminal(o.In, o.Out),
	}
	c.model = newModel(c)
	return c
}

// Fits says whether a terminal is one for this console: the plain one serves the others.
func Fits(out *os.File, lookupEnv func(string) (string, bool)) bool {
	kind, ok := lookupEnv("TERM")
	return ok && kind != "" && kind != "dumb" && isTerminal(out)
}

// Address is the person's conversation.
func (c *Console) Address() channels.Address {
	return channels.Address{Channel: console.Name, Chat: c.o.Chat}
}

// perform has the console do something, and waits until it is on screen.
func (c *Console) perform(ctx context.Context, do func(*model)) error {
	if done, err := c.direct(do); done {
		return err
	}
	done := make(chan error, 1)
	select {
	case c.acts <- act{do, done}:
	case <-c.away:
		_, err := c.direct(do)
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-c.away:
		return errGone // it was taken, and is perhaps not shown
	case <-ctx.Done():
		return ctx.Err()
	}
}

// direct has the console say something while it has no frame: what came before it began, and the
// last words of a gateway. False: the loop has the model.
func (c *Console) direct(do func(*model)) (done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looping {
		return false, nil
	}
	do(c.model)
	return true, c.model.draw()
}

// errGone says that the console has ended.
var errGone = fmt.Errorf("%w: the console has ended", console.ErrOutput)

// Send shows a message.
func (c *Console) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	err := c.perform(ctx, func(m *model) { m.message(&part) })
	if err != nil {
		class := channels.SendTransient
		if errors.Is(err, context.Cause(ctx)) {
			class = channels.SendAmbiguous
		}
		return channels.Receipt{}, &channels.SendError{Class: class, Err: err}
	}
	failpoint.Hit("P10")
	return channels.Receipt{MessageID: fmt.Sprintf("%s-out-%d", c.run, c.shown.Add(1)), Time: time.Now()}, nil
}

// Draft does nothing: events tell how an answer grows.
func (*Console) Draft(context.Context, channels.Address, string, string) error { return nil }

// Status shows a note on a line of its own.
func (c *Console) Status(ctx context.Context, _ channels.Address, note string) error {
	return c.perform(ctx, func(m *model) { m.said.note(note) })
}

// Idle says that no turn is under way.
func (c *Console) Idle(ctx context.Context) error {
	return c.perform(ctx, func(m *model) { m.turn.idle("") })
}

// Watch shows an event of the chat.
func (c *Console) Watch(ctx context.Context, d events.Data, own bool) error {
	return c.perform(ctx, func(m *model) { m.event(d, own) })
}

// inbound is something that the person does.
func (c *Console) inbound(kind channels.Kind, text string) channels.Inbound {
	id := c.run + "-" + strconv.FormatUint(c.sent.Add(1), 10)
	return channels.Inbound{
		ID: id, Kind: kind, Address: c.Address(), Sender: channels.Sender{ID: localUser, Name: localUser},
		Text: text, Direct: true, MessageID: id, Time: time.Now(),
	}
}

// localUser is the person of all consoles.
const localUser = "local"
