package channels

import "context"

// Ingress is the gate on the way in.
type Ingress struct{ sink Sink }

// Deliver is replaced by the real one.
func (i *Ingress) Deliver(ctx context.Context, items []Inbound, cursor *Cursor) error {
	return i.sink.Accept(ctx, items, cursor)
}
