package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

const (
	// How long a turn shows nothing before its chat is told that it is at work.
	quiet = 10 * time.Second
	// When a chat is shown that the bot types, and how often again: platforms show
	// it for five seconds or so.
	typingAfter, typingEvery = time.Second, 4 * time.Second
	// How long showing that may take.
	typingTime = 3 * time.Second
)

// preview shows an answer while it grows. A goroutine of its own does the
// showing, newest text first, so that the loop never waits for a channel. A nil
// preview shows nothing.
type preview struct {
	ctx     context.Context //nolint:containedctx // the preview lives as long as its turn's loop, or until it is closed
	cancel  context.CancelFunc
	typer   channels.Typer
	drafter channels.Drafter
	address channels.Address
	turn    string
	redact  func(string) string
	notes   channels.StatusShower
	log     *zerolog.Logger
	wake    chan struct{}
	stop    chan struct{}
	ended   chan struct{}
	once    sync.Once

	mu      sync.Mutex
	round   int
	text    strings.Builder
	shown   string // what the drafter has shown of the present round
	pending string // a status that has not been shown yet
}

// newPreview starts the preview of a turn; close ends it.
func (a *Agent) newPreview(ctx context.Context, to channels.Address, turn string) *preview {
	ctx, cancel := context.WithCancel(ctx)
	p := &preview{
		ctx: ctx, cancel: cancel, typer: a.o.Typer(to), drafter: a.o.Drafter(to), address: to, turn: turn, redact: a.o.Redact, notes: a.o.Status(to), log: &a.o.Log,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	if p.drafter == nil && p.notes == nil && p.typer == nil {
		close(p.ended)
		return p
	}
	go p.show() //nolint:contextcheck // it has a context of its own, which ends with the preview
	return p
}

// id is the draft that the turn's last message finishes, "" when none was shown.
func (p *preview) id() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown == "" {
		return ""
	}
	return p.draftID()
}

func (p *preview) draftID() string { return p.turn + "/draft/" + itoa(p.round) }

// add appends a piece of the present answer.
func (p *preview) add(piece string) {
	if p.drafter == nil {
		return
	}
	p.mu.Lock()
	p.text.WriteString(piece)
	p.mu.Unlock()
	p.poke()
}

// restart forgets what was cut off; the same draft goes on.
func (p *preview) restart() {
	p.mu.Lock()
	p.text.Reset()
	p.mu.Unlock()
}

// nextRound ends the present draft: text beside tool calls is no answer.
func (p *preview) nextRound() {
	p.mu.Lock()
	p.round++
	p.text.Reset()
	p.shown = ""
	p.mu.Unlock()
}

// status tells in passing what the turn is doing.
func (p *preview) status(text string) {
	p.mu.Lock()
	p.pending = text
	p.mu.Unlock()
	p.poke()
}

func (p *preview) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// close ends the preview and waits until nothing more is shown.
func (p *preview) close() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		close(p.stop)
		p.cancel() // what waits to be shown is not shown any more
	})
	<-p.ended
}

func (p *preview) show() {
	defer close(p.ended)
	idle := time.NewTimer(quiet)
	defer idle.Stop()
	typing := time.NewTimer(typingAfter)
	defer typing.Stop()
	if p.typer == nil {
		typing.Stop()
	}
	last, lastID := "", ""
	for {
		select {
		case <-p.stop:
			return
		case <-p.ctx.Done():
			return
		case <-idle.C:
			p.tell("still working")
			continue
		case <-typing.C:
			p.types()
			typing.Reset(typingEvery)
			continue
		case <-p.wake:
		}
		p.mu.Lock()
		id, text, status := p.draftID(), p.text.String(), p.pending
		p.pending = ""
		p.mu.Unlock()
		p.tell(status)
		if p.drafter == nil {
			continue
		}
		if text = p.redact(settled(text)); text == "" || text == last && id == lastID || strings.HasPrefix(noReply, strings.TrimSpace(text)) {
			continue
		}
		last, lastID = text, id
		if p.contained(func() error { return p.drafter.Draft(p.ctx, p.address, id, text) }) != nil {
			continue
		}
		idle.Stop()
		p.mu.Lock()
		if id == p.draftID() {
			p.shown = text
		}
		p.mu.Unlock()
	}
}

// types shows that the bot is at work. Whether it was seen changes nothing.
func (p *preview) types() {
	ctx, cancel := context.WithTimeout(p.ctx, typingTime)
	defer cancel()
	_ = p.contained(func() error { return p.typer.Typing(ctx, p.address) })
}

// tell shows a passing note, where the channel has a place for one.
func (p *preview) tell(note string) {
	if note != "" && p.notes != nil {
		// The answer tells, whether or not this was seen.
		_ = p.contained(func() error { return p.notes.Status(p.ctx, p.address, p.redact(note)) })
	}
}

// errPanic is what became of showing something through an adapter that panicked.
var errPanic = errors.New("the channel panicked")

// contained keeps a panic of an adapter from ending the process.
func (p *preview) contained(show func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p.log.Error().Str("channel", p.address.Channel).Str("panic", p.redact(fmt.Sprint(v))).
				Bytes("stack", debug.Stack()).Msg("a channel panicked while it showed something")
			err = errPanic
		}
	}()
	return show()
}

// settled is a growing text without its last word: that may be the beginning of
// a secret, which is known only when it is whole. A secret is printable ASCII.
func settled(text string) string {
	return strings.TrimRightFunc(text, func(c rune) bool { return c > ' ' && c < 0x7f })
}
