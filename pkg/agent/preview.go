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
	// How long a turn works before anything of it is shown: a quick answer comes
	// without a draft and without notes.
	showAfter = 250 * time.Millisecond
	// How long a turn shows nothing before its chat is told that it is at work.
	quiet = 10 * time.Second
	// When a chat is shown that the bot types, and how often again: platforms show
	// it for five seconds or so.
	typingAfter, typingEvery = time.Second, 4 * time.Second
	// How long showing that may take.
	typingTime = 3 * time.Second
)

// preview shows an answer while it grows, and below it what the agent does. A
// goroutine of its own does the showing, newest text first, so that the loop never
// waits for a channel; it begins a moment after the turn. A nil preview shows nothing.
type preview struct {
	ctx     context.Context //nolint:containedctx // the preview lives as long as its turn's loop, or until it is closed
	cancel  context.CancelFunc
	said    func(text, redacted string) bool
	typer   channels.Typer
	drafter channels.Drafter
	canvas  *canvas // nil where no messages are edited
	address channels.Address
	turn    string
	redact  func(string) string
	notes   channels.StatusShower
	log     *zerolog.Logger
	wake    chan struct{}
	begin   *time.Timer    // starts show; nil when there is nothing to show things with
	ended   chan struct{}  // closed when show has ended
	waits   sync.WaitGroup // what waits beside show
	again   *time.Timer    // when show looks again without a new text
	last    string         // what the drafter was given last; only show uses it
	once    sync.Once

	mu      sync.Mutex
	round   int
	text    strings.Builder
	began   time.Time // when the text of the present round began
	beside  string    // the newest text beside calls
	note    string    // what the agent does, or has done last
	pending string    // a note that has not been told yet
	drafted bool      // the drafter has shown something
}

// newPreview starts the preview of a turn; close ends it.
func (r *run) newPreview(ctx context.Context) *preview {
	ctx, cancel := context.WithCancel(ctx)
	o, to := &r.a.o, r.info.Address
	if r.task != nil { // its chat sees what comes of it
		nothing := Options{Redact: o.Redact, Log: o.Log}
		nothing.showNothing()
		o = &nothing
	}
	p := &preview{
		ctx: ctx, cancel: cancel, said: r.said, typer: o.Typer(to), drafter: o.Drafter(to), address: to, turn: r.info.ID, redact: o.Redact, notes: o.Status(to), log: &o.Log,
		wake: make(chan struct{}, 1), ended: make(chan struct{}), again: time.NewTimer(time.Hour),
	}
	p.again.Stop()
	if p.canvas = r.newCanvas(p, o.Editor(to)); p.canvas != nil {
		p.drafter = nil
	}
	if p.drafter != nil || p.canvas != nil || p.notes != nil || p.typer != nil {
		p.begin = time.AfterFunc(showAfter, p.show)
	}
	return p
}

// id is the draft that the turn's last message finishes, "" when none was shown.
func (p *preview) id() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.drafted {
		return ""
	}
	return p.draftID()
}

// draftID is the name of the turn's one draft.
func (p *preview) draftID() string { return p.turn + "/draft" }

// add appends a piece of the present answer.
func (p *preview) add(piece string) {
	if p.drafter == nil && p.canvas == nil {
		return
	}
	p.mu.Lock()
	if p.began.IsZero() {
		p.began = time.Now()
	}
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

// nextRound begins a new text: what stood beside tool calls is no answer, and is
// shown only until there is more to show.
func (p *preview) nextRound() {
	p.mu.Lock()
	p.round++
	if p.text.Len() > 0 {
		p.beside, p.note = p.text.String(), ""
	}
	p.text.Reset()
	p.began = time.Time{}
	p.mu.Unlock()
	p.poke()
}

// current says whether a round is the present one.
func (p *preview) current(round int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return round == p.round
}

// status tells in passing what the turn is doing.
func (p *preview) status(text string) {
	p.mu.Lock()
	p.note, p.pending = text, text
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
		p.cancel() // what waits to be shown is not shown any more
		if p.begin == nil || p.begin.Stop() {
			close(p.ended)
		}
	})
	<-p.ended
}

// sketch is what there is to show at a moment, without what must not be shown (yet).
type sketch struct {
	round  int
	began  time.Time
	text   string
	beside string
	note   string
	// untold is the note when it is a new one.
	untold string
}

// look takes what there is to show.
func (p *preview) look() sketch {
	p.mu.Lock()
	s := sketch{round: p.round, began: p.began, text: p.text.String(), beside: p.beside, note: p.note, untold: p.pending}
	p.pending = ""
	p.mu.Unlock()
	s.text, s.beside = p.presentable(settled(s.text)), p.presentable(s.beside)
	return s
}

// presentable is a text as it may be shown, "" when it may not.
func (p *preview) presentable(text string) string {
	shown := p.redact(text)
	if strings.TrimSpace(shown) == "" || p.said(text, shown) {
		return ""
	}
	return shown
}

func (p *preview) show() {
	defer close(p.ended)
	defer p.waits.Wait()
	defer p.again.Stop()
	idle := time.NewTimer(quiet - showAfter)
	defer idle.Stop()
	typing := time.NewTimer(typingAfter - showAfter)
	defer typing.Stop()
	if p.typer == nil {
		typing.Stop()
	}
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-idle.C:
			p.status("still working")
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

// draw shows what there is to show; true when the chat sees something of the answer.
func (p *preview) draw() bool {
	s := p.look()
	p.tell(s.untold)
	if p.canvas != nil {
		return p.canvas.draw(s)
	}
	text := p.compose(s)
	if p.drafter == nil || text == "" || text == p.last {
		return false
	}
	err := p.contained(func() error { return p.drafter.Draft(p.ctx, p.address, p.draftID(), text) })
	if errors.Is(err, channels.ErrNoRoom) {
		p.again.Reset(editEvery)
		return false
	}
	p.last = text
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drafted = true
	return s.text != ""
}

// compose is what is to be seen of the answer: its text, or what stood beside the
// calls that are under way and a note below it. Notes that have a place of their
// own are left out, and the text beside calls with them.
func (p *preview) compose(s sketch) string {
	if s.text != "" || p.notes != nil {
		return s.text
	}
	note := strings.Join(strings.Fields(p.redact(s.note)), " ")
	if note == "" {
		return s.beside
	}
	return strings.TrimSpace(strings.TrimSpace(s.beside) + "\n\n*" + literal(note) + "*")
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

// types shows that the bot is at work. Whether it was seen changes nothing.
func (p *preview) types() {
	ctx, cancel := context.WithTimeout(p.ctx, typingTime)
	defer cancel()
	_ = p.contained(func() error { return p.typer.Typing(ctx, p.address) })
}

// tell shows a note, where the channel has a place of its own for one.
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
