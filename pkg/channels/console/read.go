package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/pkg/channels"
)

const (
	maxLine = 1 << 20
	block   = `"""`
)

// line is one line of input, or the reason for its absence.
type line struct {
	text    string
	tooLong bool
	err     error
}

// Run implements [channels.Channel]: it returns at the end of input, when the
// output is closed, or when ctx ends.
func (c *Channel) Run(ctx context.Context, in *channels.Ingress) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = true
	}()
	lines := make(chan line)
	defer c.startReader(ctx, lines)()
	if err := c.screen.ask(ctx); err != nil {
		return endOf(ctx, err)
	}
	r := &reader{channel: c, in: in}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.screen.failed:
			return c.screen.err
		case <-c.stop:
			if err := r.deliver(ctx, "/stop"); err != nil {
				return endOf(ctx, err)
			}
		case l := <-lines:
			if errors.Is(l.err, io.EOF) {
				return endOf(ctx, r.end(ctx))
			}
			if err := r.take(ctx, l); err != nil {
				return endOf(ctx, err)
			}
		}
	}
}

// endOf is Run's result for err: nil if the caller ended it.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// reader turns lines into messages.
type reader struct {
	channel *Channel
	in      *channels.Ingress
	typed   joiner
	// skipped is [ErrLineTooLong] once a line was.
	skipped error
}

// take handles one line of input.
func (r *reader) take(ctx context.Context, l line) error {
	switch {
	case l.err != nil:
		return fmt.Errorf("read input: %w", l.err)
	case l.tooLong:
		r.skipped = ErrLineTooLong
		return r.note(ctx, textLineTooLong)
	case !r.channel.opt.Interactive:
		if strings.TrimSpace(l.text) == "" {
			return nil
		}
		if err := r.hold(ctx, l.text); err != nil {
			return err
		}
		return r.enter(ctx, l.text)
	}
	text, done := r.typed.add(l.text)
	if !done {
		return r.channel.screen.askMore(ctx)
	}
	if err := r.channel.screen.entered(ctx); err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return r.channel.screen.ask(ctx)
	}
	if err := r.enter(ctx, text); err != nil {
		return r.note(ctx, fmt.Sprintf(textNotStored, err))
	}
	return nil
}

// end handles the end of input.
func (r *reader) end(ctx context.Context) error {
	if !r.channel.opt.Interactive {
		return r.skipped
	}
	if text, ok := r.typed.rest(); ok {
		return r.deliver(ctx, text)
	} else if text != "" {
		return r.channel.Status(ctx, r.channel.Address(), textBlockDropped)
	}
	return nil
}

// enter delivers a typed line: a press if it answers a question, else a message.
func (r *reader) enter(ctx context.Context, text string) error {
	if q, data := r.channel.answers(text); q != nil {
		return r.press(ctx, q, data)
	}
	return r.deliver(ctx, text)
}

func (r *reader) deliver(ctx context.Context, text string) error {
	return r.accept(ctx, r.channel.inbound(text))
}

func (r *reader) accept(ctx context.Context, in channels.Inbound) error {
	r.channel.setUnanswered(true)
	err := r.in.Deliver(ctx, []channels.Inbound{in}, nil)
	if err != nil {
		r.channel.setUnanswered(false)
	}
	return err
}

// note tells the person something that is not an answer.
func (r *reader) note(ctx context.Context, text string) error {
	if !r.channel.opt.Interactive {
		_, err := fmt.Fprintln(r.channel.opt.Err, "console: "+oneLine(text))
		return err
	}
	return r.channel.screen.write(ctx, func() string {
		return r.channel.screen.leaveLine() + "[" + oneLine(text) + "]\n" + r.channel.screen.prompt()
	})
}

// startReader reads lines until the input or ctx ends. The returned function
// waits for it where the input can be woken.
func (c *Channel) startReader(ctx context.Context, lines chan<- line) (stop func()) {
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		readLines(ctx, c.opt.In, lines)
	}()
	return func() {
		cancel()
		d, ok := c.opt.In.(interface{ SetReadDeadline(t time.Time) error })
		if ok && d.SetReadDeadline(time.Unix(1, 0)) == nil {
			<-ended
		}
	}
}

func readLines(ctx context.Context, r io.Reader, lines chan<- line) {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		l := readLine(in)
		select {
		case lines <- l:
		case <-ctx.Done():
			return
		}
		if l.err != nil {
			return
		}
	}
}

// readLine reads one line, without its line break, and keeps at most maxLine of it.
// The last line needs no line break.
func readLine(in *bufio.Reader) line {
	var text []byte
	tooLong := false
	for {
		piece, err := in.ReadSlice('\n')
		if !tooLong {
			text = append(text, piece...)
		}
		if len(text) > maxLine+len("\r\n") {
			text, tooLong = nil, true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(text) > 0 || tooLong):
		case err != nil:
			return line{err: err}
		}
		s := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
		return line{text: s, tooLong: tooLong || len(s) > maxLine}
	}
}

// joiner makes one message of several lines.
type joiner struct {
	lines   []string
	size    int
	inBlock bool
}

// add takes a line and returns the message once it is whole. A message that
// grows above 1 MiB ends there.
func (j *joiner) add(s string) (text string, done bool) {
	switch {
	case strings.TrimSpace(s) == block && (j.inBlock || len(j.lines) == 0):
		if j.inBlock = !j.inBlock; j.inBlock {
			return "", false
		}
		return j.whole(), true
	case !j.inBlock && strings.HasSuffix(s, `\`):
		j.push(strings.TrimSuffix(s, `\`))
	default:
		j.push(s)
		if !j.inBlock {
			return j.whole(), true
		}
	}
	if j.size < maxLine {
		return "", false
	}
	return j.whole(), true
}

func (j *joiner) push(s string) {
	j.lines = append(j.lines, s)
	j.size += len(s) + 1
}

func (j *joiner) whole() string {
	text := strings.Join(j.lines, "\n")
	*j = joiner{}
	return text
}

// rest is the remainder of an ended input: complete lines that asked for another
// count as a message, an open block does not.
func (j *joiner) rest() (text string, ok bool) {
	ok = !j.inBlock && len(j.lines) > 0
	if j.inBlock {
		return block, false
	}
	return j.whole(), ok
}
