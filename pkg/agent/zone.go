package agent

import (
	"context"
	"time"

	"parley/pkg/channels"
)

// zoneNamed is the time zone of a chat for which name is kept, "" for none: then the
// configured one; nil when neither is known.
func (a *Agent) zoneNamed(name string, at channels.Address) *time.Location {
	if name == "" {
		name = a.o.Zone(at)
	}
	if name == "" {
		return nil
	}
	known, _ := a.zones.Load(name)
	if loc, ok := known.(*time.Location); ok {
		return loc
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		a.o.Log.Warn().Err(err).Str("zone", name).Msg("a chat's time zone is not known here")
		return nil
	}
	a.zones.Store(name, loc)
	return loc
}

// locationOf is the time zone of a chat, UTC when it is not known.
func (a *Agent) locationOf(ctx context.Context, chat string, at channels.Address) *time.Location {
	name, err := a.o.Engine.Chats().Zone(ctx, chat)
	if err != nil {
		name = ""
	}
	return orUTC(a.zoneNamed(name, at))
}

// Today is the day on which a turn of a chat would count now, as YYYY-MM-DD, given
// the chat's key and where it is.
func (a *Agent) Today(ctx context.Context, chat string, address channels.Address) string {
	return a.o.Now().In(a.locationOf(ctx, chat, address)).Format(time.DateOnly)
}

// orUTC stands in for a time zone that is not known.
func orUTC(loc *time.Location) *time.Location {
	if loc == nil {
		return time.UTC
	}
	return loc
}

// location is the time zone of the chat as the turn began, UTC when it is not known.
func (r *run) location() *time.Location { return orUTC(r.a.zoneNamed(r.info.Zone, r.home)) }

// today is the date and the zone that it is of. It stays the same for a day.
func (r *run) today() string {
	const layout = "Monday 2006-01-02"
	loc := r.a.zoneNamed(r.info.Zone, r.home)
	if loc == nil {
		return r.wall.UTC().Format(layout) + " (UTC; the time zone of this chat is not known)"
	}
	return r.wall.In(loc).Format(layout) + " (" + loc.String() + ")"
}

// timeHere is a time as people in the chat write it.
func (r *run) timeHere(t time.Time) string {
	return t.In(r.location()).Format("Mon 2006-01-02 15:04 MST")
}
