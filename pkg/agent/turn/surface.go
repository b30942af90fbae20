package turn

import (
	"parley/pkg/agent/progress"
	"parley/pkg/channels"
	"parley/pkg/events"
)

// Surface is all that a chat's channel can do beside taking messages: show progress, name
// its commands, and put questions with buttons.
type Surface struct {
	progress.Surface

	// Command is the text that a person writes there for the command of that name; nil: a
	// slash and the name.
	Command func(name string) string
	// CanAsk says why a message with buttons would be refused, as [channels.Egress]
	// does. With nil, buttons cannot be pressed there.
	CanAsk func(o channels.Outbound) error
	// Events take what a turn does for those who read along; nil: nobody can.
	Events *events.Hub
}

// Surfaces finds the surface of an address. At may be called by many at once, and must
// not block.
type Surfaces interface {
	At(a channels.Address) Surface
}

// NoSurfaces are those of channels that take messages and do no more.
type NoSurfaces struct{}

// At implements [Surfaces].
func (NoSurfaces) At(channels.Address) Surface { return Surface{} }

// Typed is the text that a person writes for a command.
func (s *Surface) Typed(name string) string {
	if s.Command == nil {
		return "/" + name
	}
	return s.Command(name)
}

// MayAsk says why a question would be refused.
func (s *Surface) MayAsk(o channels.Outbound) error {
	if s.CanAsk == nil {
		return channels.ErrNoButtons
	}
	return s.CanAsk(o)
}

// Typed is the text that a person writes in the turn's chat for a command.
func (t *Turn) Typed(command string) string {
	s := t.Deps.Surfaces.At(t.Origin.Address)
	return s.Typed(command)
}
