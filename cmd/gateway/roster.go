package main

import (
	"slices"
	"sync"

	"parley/pkg/channels"
)

// line is a channel with the way out to it.
type line struct {
	channel channels.Channel
	out     *channels.Egress
}

// roster holds the lines of a gateway. They only ever join, also while it runs: a
// platform may have to be reached before it is known who speaks there.
type roster struct {
	mu    sync.RWMutex
	lines []line
}

func (r *roster) add(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, l)
}

// all are the lines that have joined until now.
func (r *roster) all() []line {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clip(r.lines) // what is there never changes
}

// at finds the line of an address.
func (r *roster) at(addr channels.Address) (line, bool) {
	for _, l := range r.all() {
		if l.channel.Name() == addr.Channel && l.channel.Account() == addr.Account {
			return l, true
		}
	}
	return line{}, false
}

// line makes the way out to a channel, and puts both on the roster.
func (a *App) line(c channels.Channel) line {
	l := line{channel: c, out: channels.NewEgress(channels.EgressOptions{
		Outbox: a.engine, Channel: c, Files: a.outgoing, Log: a.log, Redact: a.redactor.Redact,
	})}
	a.roster.add(l)
	return l
}

// at finds the channel of an address, nil for none.
func (a *App) at(addr channels.Address) channels.Channel {
	l, _ := a.roster.at(addr)
	return l.channel
}

// gateOf finds the way out to an address, of a channel that is a T: the gate
// shows what the channel shows.
func gateOf[T any](a *App) func(channels.Address) T {
	return func(addr channels.Address) (gate T) {
		if l, ok := a.roster.at(addr); ok {
			if _, ok := l.channel.(T); ok {
				gate, _ = any(l.out).(T)
			}
		}
		return gate
	}
}
