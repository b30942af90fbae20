package progress

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

const (
	// How long a turn works before anything of it is shown: a quick answer comes
	// without a draft and without notes.
	showAfter = 250 * time.Millisecond
	// How long a turn is silent before its chat is told that it is at work.
	quiet = 10 * time.Second
	// When a chat is shown that the bot types, and how often again: platforms show
	// it for five seconds or so.
	typingAfter, typingEvery = time.Second, 4 * time.Second
	// How long showing that may take.
	typingTime = 3 * time.Second
)

// Turn is a [Preview]'s view of its turn.
type Turn struct {
	ID      string
	Address channels.Address
	Surface Surface
	// Live is the message that shows the answer where the chat edits messages.
	Live *LiveMessage
	// Open opens the turn's message number n, which shows text, and returns its outbound
	// id. It returns once the message and its step are durable.
	Open func(ctx context.Context, n int, text string) (id string, err error)
	// Receipt waits for the receipt of a message.
	Receipt func(ctx context.Context, outboundID string) (channels.Receipt, error)
	// Hides says whether the beginning of an answer may turn out to be no news: it is not
	// shown as long as it may. The text is given as it is and redacted.
	Hides  func(text, redacted string) bool
	Redact func(string) string
	Log    *zerolog.Logger
}

// Preview shows an answer while it grows, and below it the agent's activity. A
// goroutine of its own does the showing, newest text first; it begins a moment after
// the turn. Of a nil preview ID and Close may be called.
type Preview struct {
	loop   context.Context //nolint:containedctx // the preview lives as long as its turn's loop, or until it is closed
	turn   Turn
	guard  guard
	answer answer
	editor *messageEditor // nil where no messages are edited
	wake   chan struct{}
	begin  *time.Timer    // starts show; nil without a display
	waits  sync.WaitGroup // the goroutines beside show

	// Most turns end before anything is shown: the rest is made when showing begins, and
	// only show and its goroutines use it.
	ctx   context.Context //nolint:containedctx // that of what is shown
	again *time.Timer     // when show looks again without a new text
	last  string          // the drafter's last text

	mu     sync.Mutex
	closed bool
	cancel context.CancelFunc // ends ctx; nil before showing begins
	ended  chan struct{}      // closed when show has ended; nil before it begins
}

// NewPreview starts the preview of a turn; Close ends it.
func NewPreview(ctx context.Context, t Turn) *Preview {
	p := &Preview{
		loop: ctx, turn: t, guard: guard{channel: t.Address.Channel, redact: t.Redact, log: t.Log}, wake: make(chan struct{}, 1),
	}
	s := &p.turn.Surface
	if e := s.editor(t.Address); e != nil {
		p.editor = &messageEditor{p: p, editor: e}
		s.Drafter = nil
	}
	if s.Drafter != nil || p.editor != nil || s.Status != nil || s.Typer != nil {
		p.begin = time.AfterFunc(showAfter, p.show)
	}
	return p
}

// ID is the draft that the turn's last message finishes, or "".
func (p *Preview) ID() string {
	if p == nil || !p.answer.isDrafted() {
		return ""
	}
	return p.draftID()
}

// draftID is the name of the turn's one draft.
func (p *Preview) draftID() string { return p.turn.ID + "/draft" }

// Add appends a piece of the present answer.
func (p *Preview) Add(piece string) {
	if p.turn.Surface.Drafter == nil && p.editor == nil {
		return
	}
	p.answer.add(piece)
	p.poke()
}

// Restart forgets the text of a request that was cut off; the same draft goes on.
func (p *Preview) Restart() { p.answer.restart() }

// NextRound begins a new text: one that stood beside tool calls is no answer, and is
// shown only until there is more to show.
func (p *Preview) NextRound() {
	p.answer.nextRound()
	p.poke()
}

// Status tells the turn's activity in passing.
func (p *Preview) Status(text string) {
	p.answer.status(text)
	p.poke()
}

func (p *Preview) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Close ends the preview and waits until the display is over.
func (p *Preview) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	cancel, ended := p.cancel, p.ended
	p.mu.Unlock()
	if p.begin != nil {
		p.begin.Stop()
	}
	if ended != nil {
		cancel() // a waiting text is not shown any more
		<-ended
	}
}

// starts makes ready for showing; false when the preview is closed already.
func (p *Preview) starts() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.ctx, p.cancel = context.WithCancel(p.loop)
	p.ended, p.again = make(chan struct{}), time.NewTimer(time.Hour)
	p.again.Stop()
	return true
}

// look takes the present state.
func (p *Preview) look() frame {
	f := p.answer.take()
	f.text, f.beside = p.presentable(settled(f.text)), p.presentable(f.beside)
	return f
}

// presentable is a text as it may be shown, "" when it may not.
func (p *Preview) presentable(text string) string {
	shown := p.turn.Redact(text)
	if strings.TrimSpace(shown) == "" || p.turn.Hides(text, shown) {
		return ""
	}
	return shown
}

func (p *Preview) show() {
	if !p.starts() {
		return
	}
	defer close(p.ended)
	defer p.waits.Wait()
	defer p.again.Stop()
	idle := time.NewTimer(quiet - showAfter)
	defer idle.Stop()
	typing := time.NewTimer(typingAfter - showAfter)
	defer typing.Stop()
	if p.turn.Surface.Typer == nil {
		typing.Stop()
	}
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-idle.C:
			p.Status(textStillWorking)
			continue
		case <-typing.C:
			p.types()
			typing.Reset(typingEvery)
			continue
		case <-p.again.C:
		case <-p.wake:
		}
		if p.draw() {
			idle.Stop()
		}
	}
}

// draw shows the present state; true when the chat sees a part of the answer.
func (p *Preview) draw() bool {
	f := p.look()
	p.tell(f.untold)
	if p.editor != nil {
		return p.editor.draw(f)
	}
	text := p.compose(f)
	drafter := p.turn.Surface.Drafter
	if drafter == nil || text == "" || text == p.last {
		return false
	}
	err := p.guard.run(func() error { return drafter.Draft(p.ctx, p.turn.Address, p.draftID(), text) })
	if errors.Is(err, channels.ErrNoRoom) {
		p.again.Reset(editEvery)
		return false
	}
	p.last = text
	if err != nil {
		return false
	}
	p.answer.setDrafted()
	return f.text != ""
}

// compose is the visible part of the answer: its text, or the text beside the calls
// that are under way and a note below it. Notes that have a place of their own are left
// out, and the text beside calls with them.
func (p *Preview) compose(f frame) string {
	if f.text != "" || p.turn.Surface.Status != nil {
		return f.text
	}
	note := strings.Join(strings.Fields(p.turn.Redact(f.note)), " ")
	if note == "" {
		return f.beside
	}
	return strings.TrimSpace(strings.TrimSpace(f.beside) + "\n\n*" + literal(note) + "*")
}

// types shows that the bot is at work. Whether it was seen has no effect.
func (p *Preview) types() {
	ctx, cancel := context.WithTimeout(p.ctx, typingTime)
	defer cancel()
	_ = p.guard.run(func() error { return p.turn.Surface.Typer.Typing(ctx, p.turn.Address) })
}

// tell shows a note, where the channel has a place of its own for one.
func (p *Preview) tell(note string) {
	if notes := p.turn.Surface.Status; note != "" && notes != nil {
		// The answer tells, whether or not this was seen.
		_ = p.guard.run(func() error { return notes.Status(p.ctx, p.turn.Address, p.turn.Redact(note)) })
	}
}

// literal is a text that Markdown leaves as it is.
func literal(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|~&", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// settled is a growing text without its last word: that may be the beginning of
// a secret, which is known only when it is whole. A secret is printable ASCII.
func settled(text string) string {
	return strings.TrimRightFunc(text, func(c rune) bool { return c > ' ' && c < 0x7f })
}
