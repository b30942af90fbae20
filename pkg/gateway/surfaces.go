package gateway

import (
	"parley/pkg/agent/progress"
	"parley/pkg/agent/turn"
	"parley/pkg/channels"
	"parley/pkg/gateway/screens"
)

// surfaces tell the agent the abilities of each channel.
type surfaces struct {
	channels *Channels
	screens  *screens.Screens
}

// At implements [turn.Surfaces].
func (s surfaces) At(addr channels.Address) turn.Surface {
	b := s.channels.at(addr)
	if b == nil {
		return turn.Surface{CanAsk: func(channels.Outbound) error { return channels.ErrNoButtons }}
	}
	surface := turn.Surface{
		Surface: progress.Surface{
			Editor: shown[channels.Editor](b), Drafter: shown[channels.Drafter](b),
			Status: shown[channels.StatusShower](b), Typer: shown[channels.Typer](b),
		},
		CanAsk: b.out.CanAsk, Events: s.screens.Events(addr),
	}
	if commander, ok := b.channel.(channels.Commander); ok {
		surface.Command = func(name string) string {
			return commander.Command(addr, name)
		}
	}
	return surface
}

// shown is the way out to a channel that is a T, nil to another one: the way out shows
// the same as the channel.
func shown[T any](b *Binding) (surface T) {
	if _, ok := b.channel.(T); ok {
		surface, _ = any(b.out).(T)
	}
	return surface
}
