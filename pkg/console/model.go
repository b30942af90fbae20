package console

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"parley/pkg/backoff"
	"parley/pkg/channels"
	"parley/pkg/channels/console"
	"parley/pkg/console/ansi"
	"parley/pkg/console/screen"
	"parley/pkg/events"
)

// model is the state of a console. It belongs to the loop of the program, and before and behind
// that to the console.
type model struct {
	c      *Console
	post   *postbox
	screen *screen.Screen
	said   transcript
	turn   turn
	asks   asks
	edit   composer
	// answer is the newest message, for /copy.
	answer string
	// framed says that there is a frame; failed is the error of a write.
	framed bool
	failed error
	// left is the end of Run that the person chose.
	left error
	// leaves says that the person left.
	leaves bool
	// soon says that a tick is on its way, which draws.
	soon bool
	// chord says that Ctrl-X was pressed.
	chord bool
	// stopping says that Ctrl-C has asked for the end of the turn, until the next one begins.
	stopping bool
}

// resized says that the terminal may have another size.
type resized struct{}

// tick draws what has changed meanwhile.
type tick time.Time

func newModel(c *Console) *model {
	width, height := c.term.size()
	m := &model{c: c, screen: screen.New(&output{to: c.o.Out, ends: c.ends}, width, height, screen.Reflows(c.o.LookupEnv))}
	m.said.theme = ansi.NewTheme(profile(c))
	m.turn.said, m.asks.said, m.edit.said = &m.said, &m.said, &m.said
	m.measure()
	return m
}

// profile is how many colours the terminal has. NO_COLOR with any value takes them away.
func profile(c *Console) colorprofile.Profile {
	p := colorprofile.Detect(c.o.Out, c.o.Environ)
	if v, _ := c.o.LookupEnv("NO_COLOR"); v != "" {
		p = min(p, colorprofile.ASCII)
	}
	return p
}

// measure looks at the size of the terminal. The last column stays free.
func (m *model) measure() {
	width, height := m.c.term.size()
	m.screen.Resize(width, height)
	if wide := max(ansi.MinWidth, width-1); wide != m.said.width {
		m.said.width = wide
		m.turn.resized()
	}
}

// Init implements [tea.Model].
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.c.load, func() tea.Msg { return resized{} })
}

// lookTime is how long the gateway is asked for its commands.
const lookTime = 10 * time.Second

// load asks for the commands of the gateway, again while that starts or is slow.
func (c *Console) load() tea.Msg {
	pauses := backoff.New(time.Second/2, lookTime)
	for {
		all, err := c.commands()
		if err == nil {
			return func(m *model) tea.Cmd { return m.edit.learn(all) }
		}
		if !backoff.Sleep(c.life, pauses.Next()) {
			return nil
		}
	}
}

func (c *Console) commands() ([]Command, error) {
	ctx, cancel := context.WithTimeout(c.life, lookTime)
	defer cancel()
	return c.o.Commands(ctx)
}

// View implements [tea.Model]: the console draws by itself.
func (*model) View() tea.View { return tea.View{} }

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	m.measure()
	switch msg := msg.(type) {
	case act:
		m.turn.dirty = false
		msg.do(m)
		err := m.failed
		if !m.turn.dirty { // else a tick draws how the answer has grown
			err = m.draw()
		}
		msg.done <- err
		cmd = m.later()
		return m, cmd
	case tea.KeyPressMsg:
		cmd = m.key(msg)
	case tea.PasteMsg:
		m.edit.paste(msg.Content)
	case tick:
		m.soon = false
	case resized:
	case func(*model) tea.Cmd:
		cmd = msg(m)
	default:
		return m, nil // it says something of the terminal that is not used
	}
	if m.draw() != nil { // ending tells why
		cmd = tea.Quit
	}
	next := m.later()
	return m, tea.Batch(cmd, next)
}

// The time between two drawings of something that goes on.
const (
	growEvery = 33 * time.Millisecond
	spinEvery = 100 * time.Millisecond
)

// later has the console drawn again where something goes on.
func (m *model) later() tea.Cmd {
	wait := spinEvery
	switch {
	case m.soon:
		return nil
	case m.turn.dirty, m.turn.draft.stale:
		wait = growEvery
	case m.turn.spins():
	case m.asks.faint:
	default:
		return nil
	}
	m.soon = true
	return tea.Tick(wait, func(t time.Time) tea.Msg { return tick(t) })
}

// event shows an event of the chat.
func (m *model) event(d events.Data, own bool) {
	switch d := d.(type) {
	case events.Question:
		m.asks.add(&d)
	case events.Resolved:
		m.asks.close(d.ID)
	case events.TurnBegun:
		m.stopping = own && d.Text == stopCommand // that turn has nothing to stop
		m.turn.event(d, own)
	default:
		m.turn.event(d, own)
	}
}

// message shows a message.
func (m *model) message(part *channels.Part) {
	if part.Finishes != "" {
		m.asks.close(part.Finishes)
	}
	if part.Text == "" {
		return
	}
	if part.Unasked == "" {
		m.answer = part.Text
	}
	m.turn.message(part)
}

// draw brings the screen up to date.
func (m *model) draw() error {
	if m.failed != nil {
		return m.failed
	}
	m.turn.dirty = false
	m.turn.settle()
	lines := m.said.take()
	if m.framed {
		m.failed = m.screen.Draw(lines, m.frame())
	} else {
		m.failed = m.screen.Write(lines)
	}
	return m.failed
}

// frame is what stands at the end of the terminal.
func (m *model) frame() screen.Frame {
	_, height := m.screen.Size()
	above := append(m.turn.rows(m.stopping), m.asks.bar(m.edit.line.Empty())...)
	input, row, before := m.edit.rows(max(1, height/2))
	below := m.edit.below(height / 3)
	live := m.turn.draft.live
	if room := height - 3 - len(above) - len(input) - len(below); len(live) > room {
		live = live[len(live)-max(0, room):]
	}
	var all []ansi.Line
	if !m.said.blank && !m.turn.goesOn() {
		all = append(all, ansi.Line{})
	}
	all = append(all, live...)
	if len(live) > 0 {
		all = append(all, ansi.Line{})
	}
	all = append(all, above...)
	f := screen.Frame{Row: len(all) + row, Before: rowWith(m.said.theme, &before)}
	all = append(append(all, input...), below...)
	for i := range all {
		f.Rows = append(f.Rows, rowWith(m.said.theme, &all[i]))
	}
	return f
}

// rowWith is a line as a row of the frame.
func rowWith(t *ansi.Theme, l *ansi.Line) screen.Row {
	return screen.Row{Text: t.Render(l), Columns: l.Columns()}
}

// leave ends the console.
func (m *model) leave(why error) tea.Cmd {
	m.leaves, m.left = true, why
	return tea.Quit
}

// ending is the end of Run, when the program has ended with err. Unsent is the reason for which the
// last message was not sent.
func (m *model) ending(ctx context.Context, err, unsent error) error {
	failed := m.failed
	if failed == nil {
		failed = m.screen.Leave()
	}
	m.framed = false
	if unsent != nil {
		m.said.note(fmt.Sprintf(textNotSentBusy, unsent))
	}
	if m.leaves {
		m.said.note(fmt.Sprintf(textBack, m.c.o.Back))
	}
	if failed == nil {
		failed = m.draw()
	}
	switch {
	case errors.Is(failed, errStuck):
		return m.left
	case failed != nil:
		return errors.Join(console.ErrOutput, failed)
	case errors.Is(context.Cause(ctx), console.ErrOutput):
		return console.ErrOutput
	case ctx.Err() == nil && err != nil:
		return err
	default:
		return m.left
	}
}
