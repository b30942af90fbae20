package console

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"parley/pkg/channels"
)

// Name is the channel's word in an address.
const Name = "console"

var (
	// ErrOutput says that the output is closed.
	ErrOutput = errors.New("the output is closed")
	// ErrLineTooLong says that a line was not delivered.
	ErrLineTooLong = errors.New("a line is longer than 1 MiB")
)

// Options say where the person is. Zero values have defaults.
type Options struct {
	In       io.Reader
	Out, Err io.Writer
	// Interactive means that a person types; else each line is a turn of its own.
	Interactive bool
	// User is the name to show, ID the sender's identity; both default to "local".
	User, ID string
	// Chat is the conversation's id; default "local".
	Chat string
	// Prompt asks for a line; default "> ".
	Prompt string
	// Busy says whether a turn is under way; nil means: since the last line no answer was
	// shown.
	Busy func() bool
	// Settled waits until no turn is under way and all answers are shown. Piped input
	// that may answer a question waits for it; nil does not wait.
	Settled func(ctx context.Context) error
	// OnInterrupt stops the running turn; nil delivers /stop.
	OnInterrupt func()
}

// Channel is the terminal's [channels.Channel].
type Channel struct {
	opt    Options
	run    string
	screen *screen
	stop   chan struct{}

	mu sync.Mutex
	// delivered numbers the messages; it is Run's alone.
	delivered uint64
	// unanswered means that a line was accepted and no output was shown since.
	unanswered bool
	// interrupted is when Ctrl-C last stopped something.
	interrupted time.Time
	// questions are those that are open, the newest last.
	questions []*question
	// ended means that no more input is read.
	ended bool
}

var (
	_ channels.Channel      = (*Channel)(nil)
	_ channels.Buttoner     = (*Channel)(nil)
	_ channels.Drafter      = (*Channel)(nil)
	_ channels.FileSender   = (*Channel)(nil)
	_ channels.StatusShower = (*Channel)(nil)
)

// New returns a console that is not running yet.
func New(opt Options) *Channel {
	opt.User = orDefault(opt.User, "local")
	opt.ID = orDefault(opt.ID, "local")
	opt.Chat = orDefault(opt.Chat, "local")
	opt.Prompt = orDefault(opt.Prompt, "> ")
	if opt.Err == nil {
		opt.Err = io.Discard
	}
	return &Channel{
		opt:    opt,
		run:    rand.Text(),
		screen: newScreen(opt),
		stop:   make(chan struct{}, 1),
	}
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// Name implements [channels.Channel].
func (c *Channel) Name() string { return Name }

// Account implements [channels.Channel]; there is one console only.
func (c *Channel) Account() string { return "" }

// Limits implements [channels.Channel]; a console is without limits.
func (c *Channel) Limits() channels.Limits { return channels.Limits{} }

// Address is the person's conversation.
func (c *Channel) Address() channels.Address {
	return channels.Address{Channel: Name, Chat: c.opt.Chat}
}

// Interrupt acts on Ctrl-C. During a turn, it stops the turn and returns false. When
// idle, and at the second call within two seconds, it has no effect and returns true:
// the person wants to leave, and the caller ends Run's context, with the cause that
// decides the exit code. It may be called from any goroutine.
func (c *Channel) Interrupt() bool {
	const again = 2 * time.Second
	c.mu.Lock()
	busy := c.unanswered
	second := !c.interrupted.IsZero() && time.Since(c.interrupted) < again
	c.interrupted = time.Now()
	c.mu.Unlock()
	if c.opt.Busy != nil {
		busy = c.opt.Busy()
	}
	if second || !busy {
		return true
	}
	if c.opt.OnInterrupt != nil {
		c.opt.OnInterrupt()
		return false
	}
	select {
	case c.stop <- struct{}{}:
	default: // one is waiting already
	}
	return false
}

func (c *Channel) inbound(text string) channels.Inbound {
	c.delivered++
	id := c.run + "-" + strconv.FormatUint(c.delivered, 10)
	return channels.Inbound{
		ID:        id,
		Kind:      channels.KindMessage,
		Address:   c.Address(),
		Sender:    channels.Sender{ID: c.opt.ID, Name: c.opt.User},
		Text:      text,
		Direct:    true,
		MessageID: id,
		Solo:      !c.opt.Interactive,
		Time:      time.Now(),
	}
}

func (c *Channel) setUnanswered(v bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unanswered = v
}
