package console

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/pkg/channels"
)

// maxPosts is how many messages may be on their way to the gateway.
const maxPosts = 64

// postbox sends what the person does, one after another. The loop of the program never waits for
// it.
type postbox struct {
	in    *channels.Ingress
	posts chan post
}

// post is one message, and what is told of it.
type post struct {
	inbound channels.Inbound
	sent    func(*model, error)
}

func newPostbox(in *channels.Ingress) *postbox {
	return &postbox{in: in, posts: make(chan post, maxPosts)}
}

// put sends something. Sent is called by the loop when the gateway has it, or with the error.
func (p *postbox) put(in channels.Inbound, sent func(*model, error)) tea.Cmd {
	select {
	case p.posts <- post{in, sent}:
		return nil
	default:
		return func() tea.Msg { return func(m *model) tea.Cmd { sent(m, errManyPosts); return nil } }
	}
}

// reasonOf is why a message was not taken, without what [channels.Ingress] puts before it.
func reasonOf(err error) error {
	if reason := errors.Unwrap(err); reason != nil {
		return reason
	}
	return err
}

// sendTime is how long the messages that are on their way are waited for when the person leaves.
const sendTime = 5 * time.Second

// run sends what is put in. The returned function sends the rest, and tells what could not be sent:
// it is called when no more is put in.
func (p *postbox) run(ctx context.Context, program *tea.Program) (end func() error) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	lost := make(chan error, 1)
	go func() {
		var failed error
		for one := range p.posts {
			err := reasonOf(p.in.Deliver(ctx, []channels.Inbound{one.inbound}, nil))
			program.Send(func(m *model) tea.Cmd { one.sent(m, err); return nil })
			failed = err
		}
		lost <- failed
	}()
	return func() error {
		defer time.AfterFunc(sendTime, stop).Stop()
		close(p.posts)
		defer stop()
		return <-lost
	}
}
