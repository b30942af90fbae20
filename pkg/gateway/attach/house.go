package attach

import "context"

// House is the gateway that this process runs itself, if there is one.
type House interface {
	// Ended is closed when that gateway has ended. It is nil while another process runs the
	// gateway. What the gateway says until then is shown, also after the context of Run has ended.
	Ended() <-chan struct{}
	// Open runs a gateway in place of one that another console ran, and that is gone. It says
	// whether there is one now; where there is none, it is called again.
	Open(ctx context.Context) bool
}

// elsewhere is the house of a session whose gateway is another's.
type elsewhere struct{}

// Ended implements [House].
func (elsewhere) Ended() <-chan struct{} { return nil }

// Open implements [House].
func (elsewhere) Open(context.Context) bool { return false }

// ended says that the gateway has ended which this process runs.
func ended(h House) bool {
	over := h.Ended()
	if over == nil {
		return false
	}
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// contact tells the person of a session whether the gateway can be reached.
type contact struct {
	session *Session

	away bool // the person knows that it cannot
}

// lost is called at each attempt to reach the gateway that fails. The gateway of another console
// that has left is replaced by one of this process. The end of ctx is one that was asked for.
func (c *contact) lost(ctx context.Context) {
	switch {
	case ctx.Err() != nil:
	case c.session.client.passing.Load() && c.session.house.Ended() == nil && c.session.house.Open(ctx):
		c.away = false
		c.tell(ctx, textTakenOver)
	case !c.away:
		c.away = true
		c.tell(ctx, textLost)
	}
}

// back is called when the gateway can be reached again.
func (c *contact) back(ctx context.Context) {
	if c.away {
		c.away = false
		c.tell(ctx, textBack)
	}
}

// tell shows a note. A closed screen shows itself at the next answer.
func (c *contact) tell(ctx context.Context, text string) {
	if ctx.Err() == nil {
		_ = c.session.view.Status(ctx, c.session.at, text)
	}
}
