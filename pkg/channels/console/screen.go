package console

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/failpoint"
	"parley/pkg/channels"
)

// clearLine takes away the prompt before something is written in its place.
const clearLine = "\r\x1b[K"

// morePrompt asks for another line of the same message.
const morePrompt = "... "

// screen is the person's view. One write is under way at a time.
type screen struct {
	opt Options
	// turn is held by the writer. A write to a stopped terminal cannot be cut off, so a
	// writer that gave up leaves it held until the write returns.
	turn   chan struct{}
	shown  atomic.Uint64
	failed chan struct{}
	fail   sync.Once
	err    error

	// The holder of turn uses the rest.
	prompted bool
	// goesOn means that the next line belongs to an unfinished message.
	goesOn bool
	draft  draft
}

// draft is the answer that grows at the end of the screen.
type draft struct {
	id   string
	text string
	safe sanitizer
}

func newScreen(opt Options) *screen {
	return &screen{opt: opt, turn: make(chan struct{}, 1), failed: make(chan struct{})}
}

// Send implements [channels.Channel]. A message that finishes the draft on screen
// adds its missing part. A message with buttons is followed by their keys; one that
// finishes it closes it, and is a message of its own; without a text it does nothing else.
func (c *Channel) Send(ctx context.Context, part channels.Part) (channels.Receipt, error) {
	defer c.setUnanswered(false)
	s := c.screen
	r := channels.Receipt{MessageID: fmt.Sprintf("%s-out-%d", c.run, s.shown.Add(1))}
	q := &question{id: part.ID, message: r.MessageID, buttons: part.Buttons}
	err := s.write(ctx, func() string {
		c.finished(&part)
		if part.Text == "" { // it closes a question alone
			return ""
		}
		if len(part.Buttons) == 0 {
			return s.finish(part.Text) + s.prompt()
		}
		if c.open(q) { // before it is seen, because it may be answered then
			return ""
		}
		return s.leaveLine() + whole(part.Text) + q.line() + s.prompt()
	})
	if err != nil {
		c.drop(q)
		return channels.Receipt{}, err
	}
	failpoint.Hit("P10")
	r.Time = time.Now()
	return r, nil
}

// SendFile implements [channels.FileSender]: the person at the console has the file
// already, and reads its path.
func (c *Channel) SendFile(ctx context.Context, part channels.FilePart) (channels.Receipt, error) {
	p := part.Part
	p.Text = strings.TrimSpace(part.Text + "\n[file] " + oneLine(part.File.Path))
	return c.Send(ctx, p)
}

// Draft implements [channels.Drafter]. Piped output skips it.
func (c *Channel) Draft(ctx context.Context, _ channels.Address, id, text string) error {
	if !c.opt.Interactive {
		return nil
	}
	s := c.screen
	text = strings.TrimSpace(text) // the message that follows has no blanks at its ends either
	if text == "" {
		return nil
	}
	return s.write(ctx, func() string { return s.grow(id, text) })
}

// Status implements [channels.StatusShower]. Piped output skips it.
func (c *Channel) Status(ctx context.Context, _ channels.Address, note string) error {
	if !c.opt.Interactive {
		return nil
	}
	s := c.screen
	return s.write(ctx, func() string { return s.leaveLine() + "[" + oneLine(note) + "]\n" })
}

// Idle says that no turn is under way: a missing prompt comes back, for instance
// after a silent turn.
func (c *Channel) Idle(ctx context.Context) error {
	c.setUnanswered(false)
	return c.screen.ask(ctx)
}

// ask shows the prompt where it is missing.
func (s *screen) ask(ctx context.Context) error {
	return s.write(ctx, func() string {
		if s.prompted || !s.opt.Interactive {
			return ""
		}
		return s.leaveLine() + s.prompt()
	})
}

// entered says that the person ended a message.
func (s *screen) entered(ctx context.Context) error {
	return s.write(ctx, func() string {
		s.prompted, s.goesOn = false, false
		return ""
	})
}

// askMore says that the person ended a line of a message that goes on.
func (s *screen) askMore(ctx context.Context) error {
	return s.write(ctx, func() string {
		s.goesOn = true
		return s.prompt()
	})
}

// prompt asks for the next line.
func (s *screen) prompt() string {
	switch {
	case !s.opt.Interactive:
		return ""
	case s.goesOn:
		s.prompted = true
		return morePrompt
	default:
		s.prompted = true
		return s.opt.Prompt
	}
}

// leaveLine ends the line on which a draft or a prompt stands.
func (s *screen) leaveLine() string {
	lead := ""
	switch {
	case s.draft.id != "":
		lead = s.draft.safe.flush() + "\n"
	case s.prompted:
		lead = clearLine
	}
	s.prompted, s.draft = false, draft{}
	return lead
}

// grow returns the addition of a draft to the screen.
func (s *screen) grow(id, text string) string {
	lead := ""
	if s.draft.id != id || !strings.HasPrefix(text, s.draft.text) {
		lead = s.leaveLine()
		s.draft.id = id
	}
	added := s.draft.safe.push(text[len(s.draft.text):])
	s.draft.text = text
	return lead + added
}

// finish returns the addition of a message to the screen; its line is ended. A
// message that begins like the draft continues it, whatever it names: the sender of a
// draft that was cut off does not know that it was shown.
func (s *screen) finish(text string) string {
	if s.draft.id == "" || !strings.HasPrefix(text, s.draft.text) {
		return s.leaveLine() + whole(text)
	}
	added := s.grow(s.draft.id, text) + s.draft.safe.flush()
	s.draft = draft{}
	if !strings.HasSuffix(text, "\n") {
		added += "\n"
	}
	return added
}

// whole is a text with its line ended.
func whole(text string) string {
	shown := Sanitize(text)
	if !strings.HasSuffix(text, "\n") {
		shown += "\n"
	}
	return shown
}

// write shows the result of compose, unless ctx ends before. While compose runs, it
// is the only writer.
func (s *screen) write(ctx context.Context, compose func() string) error {
	select {
	case <-s.failed:
		return s.sendError(0, s.err)
	default:
	}
	if err := ctx.Err(); err != nil {
		return s.sendError(0, err)
	}
	select {
	case s.turn <- struct{}{}:
	case <-s.failed:
		return s.sendError(0, s.err)
	case <-ctx.Done():
		return s.sendError(0, ctx.Err())
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-s.turn }()
		n, err := s.show(compose())
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrOutput, err)
			s.fail.Do(func() { s.err = err; close(s.failed) })
			err = s.sendError(n, err)
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return s.sendError(1, ctx.Err())
	}
}

// show writes a text to the terminal, unless it is empty.
func (s *screen) show(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	return io.WriteString(s.opt.Out, text)
}

// sendError gives an error its class: a part that was written may have been seen.
func (s *screen) sendError(written int, err error) error {
	class := channels.SendTransient
	if written > 0 {
		class = channels.SendAmbiguous
	}
	return &channels.SendError{Class: class, Err: err}
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(Sanitize(s)), " ")
}
