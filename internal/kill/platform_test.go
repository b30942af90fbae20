package kill_test

import (
	"context"

	"parley/internal/loopchat"
	"parley/internal/loopchat/server"
)

// platform is the chat platform of a world.
type platform interface {
	// post puts asks in line, in order.
	post(asks []*ask)
	// messages are what the bot sent, in the order in which it did.
	messages() []message
	// until waits until cond holds. It is looked at again whenever something happened.
	until(ctx context.Context, cond func() bool) error
	// polls counts the polls until now.
	polls() int
	// drained waits until everything had its effect that a process wrote which has ended.
	drained(ctx context.Context) error
}

// onLoop is the test channel's platform.
type onLoop struct{ srv *server.Server }

func (p onLoop) post(asks []*ask) {
	updates := make([]loopchat.Update, len(asks))
	for i, a := range asks {
		updates[i] = loopchat.Update{Chat: a.chat, Text: a.text, Mentioned: !loopchat.Direct(a.chat)}
	}
	p.srv.Push(updates...)
}

func (p onLoop) messages() []message {
	var all []message
	sent := p.srv.Messages("")
	for i := range sent {
		all = append(all, message{chat: sent[i].Chat, text: sent[i].Text})
	}
	return all
}

func (p onLoop) until(ctx context.Context, cond func() bool) error { return p.srv.Until(ctx, cond) }

func (p onLoop) polls() int { return p.srv.Report().Polls }

func (p onLoop) drained(ctx context.Context) error { return p.srv.Drained(ctx) }
