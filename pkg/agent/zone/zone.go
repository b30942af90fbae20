package zone

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

// Zones are the time zones of chats.
type Zones struct {
	store Store
	usual func(a channels.Address) string
	log   zerolog.Logger
	known sync.Map // by name
}

// Store keeps the zone that a chat has chosen, an IANA name, or "".
type Store interface {
	Zone(ctx context.Context, chat string) (string, error)
	SetZone(ctx context.Context, chat, zone string) error
}

// New are the zones that a store keeps. Usual is the zone of a chat that has not
// chosen one, "" where it is not known.
func New(store Store, usual func(a channels.Address) string, log zerolog.Logger) *Zones {
	return &Zones{store: store, usual: usual, log: log}
}

// Named is the time zone of a chat that keeps name, or "": then the usual one; nil when
// both are unknown.
func (z *Zones) Named(name string, at channels.Address) *time.Location {
	if name == "" {
		name = z.usual(at)
	}
	if name == "" {
		return nil
	}
	known, _ := z.known.Load(name)
	if loc, ok := known.(*time.Location); ok {
		return loc
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		z.log.Warn().Err(err).Str("zone", name).Msg("a chat's time zone is not known here")
		return nil
	}
	z.known.Store(name, loc)
	return loc
}

// Of is the time zone of a chat, UTC when it is not known.
func (z *Zones) Of(ctx context.Context, chat string, at channels.Address) *time.Location {
	name, err := z.store.Zone(ctx, chat)
	if err != nil {
		name = ""
	}
	return orUTC(z.Named(name, at))
}

// Chosen is the time zone that is kept for a chat, or "".
func (z *Zones) Chosen(ctx context.Context, chat string) (string, error) {
	return z.store.Zone(ctx, chat)
}

// Choose keeps a time zone, an IANA name, for a chat.
func (z *Zones) Choose(ctx context.Context, chat, zone string) error {
	return z.store.SetZone(ctx, chat, zone)
}

// Usual is the time zone of a chat before it chooses one, "" when it is not known.
func (z *Zones) Usual(at channels.Address) string { return z.usual(at) }

// orUTC stands in for a time zone that is not known.
func orUTC(loc *time.Location) *time.Location {
	if loc == nil {
		return time.UTC
	}
	return loc
}

// Clock is the time of a turn.
type Clock struct {
	// Began is when the turn began, Wall the same by the clock of the schedules.
	Began, Wall time.Time
	// Zone is the time zone of the chat, nil when it is not known.
	Zone *time.Location
}

// Location is the time zone of the chat as the turn began, UTC when it is not known.
func (c Clock) Location() *time.Location { return orUTC(c.Zone) }

// Today is the date and the zone that it is of. It stays the same for a day.
func (c Clock) Today() string {
	const layout = "Monday 2006-01-02"
	if c.Zone == nil {
		return c.Wall.UTC().Format(layout) + " (UTC; the time zone of this chat is not known)"
	}
	return c.Wall.In(c.Zone).Format(layout) + " (" + c.Zone.String() + ")"
}

// Here is a time as people in the chat write it.
func (c Clock) Here(at time.Time) string {
	return at.In(c.Location()).Format("Mon 2006-01-02 15:04 MST")
}
