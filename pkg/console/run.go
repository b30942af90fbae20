package console

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"parley/pkg/channels"
	"parley/pkg/channels/console"
)

// Run shows the console until the person leaves, the terminal is gone or ctx ends. It is called
// once.
func (c *Console) Run(ctx context.Context, in *channels.Ingress) (err error) {
	defer close(c.away)
	if err := c.term.enter(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.term.leave()) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	context.AfterFunc(ctx, func() { close(c.ends) })
	post := newPostbox(in)
	c.life = ctx
	m := c.begin(post)
	// Bubble Tea reads the keys and keeps the order; package screen writes, because the lines above
	// the frame and the frame have to change at once.
	program := tea.NewProgram(m,
		tea.WithContext(ctx), tea.WithInput(&input{c.o.In, stop}), tea.WithOutput(io.Discard), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithEnvironment(c.o.Environ), tea.WithFPS(1))
	defer c.feed(ctx, program)()
	sendRest := post.run(ctx, program)
	_, err = program.Run()
	err = m.ending(ctx, err, sendRest())
	c.end()
	return err
}

// begin gives the model to the loop.
func (c *Console) begin(post *postbox) *model {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looping = true
	m := c.model
	m.post, m.framed = post, true
	m.edit.open(c)
	return m
}

// end takes the model back from the loop.
func (c *Console) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looping = false
}

// feed hands on what is to be shown, and the sizes of the terminal. The returned function waits for
// its end.
func (c *Console) feed(ctx context.Context, program *tea.Program) func() {
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer signal.Stop(sizes)
		for {
			select {
			case a := <-c.acts:
				program.Send(a)
			case <-sizes:
				program.Send(resized{})
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { stop(); <-ended }
}

// input tells when the terminal is gone.
type input struct {
	*os.File

	gone context.CancelCauseFunc
}

// Read implements [io.Reader].
func (i *input) Read(p []byte) (int, error) {
	n, err := i.File.Read(p)
	if n == 0 && err != nil {
		i.gone(console.ErrOutput)
	}
	return n, err
}

// Interrupt acts on a signal from outside: the terminal itself sends none. It returns true where the
// person is to leave.
func (c *Console) Interrupt() bool { return !c.editing.Load() }

// Restore gives the terminal back at once, for a process that ends at once.
func (c *Console) Restore() { _ = c.term.leave() }
