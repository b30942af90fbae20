package clock

import (
	"context"
	"strings"
	"time"
	_ "time/tzdata" // the zones of the world, for machines that come without them

	"parley/pkg/tools"
)

const maxZoneName = 64

type input struct {
	Timezone string `json:"timezone,omitempty"`
}

// reading is the result of current_time.
type reading struct {
	// Time is in RFC 3339, to the second.
	Time     string `json:"time"`
	Timezone string `json:"timezone"`
	Weekday  string `json:"weekday"`
	// Unix counts the seconds since 1970.
	Unix int64 `json:"unix"`
	// UTCOffset is such as +05:30.
	UTCOffset string `json:"utc_offset"`
}

// New makes the tool current_time; now is usually time.Now. Without a zone in
// its arguments the tool tells the time in the zone that now gives.
func New(now func() time.Time) tools.Tool {
	return tools.New("current_time", "Date, time and weekday in an IANA time zone.",
		// Not idempotent in its answer, but to ask again does no harm.
		tools.Annotations{ReadOnly: true, Idempotent: true, Volatile: true, Level: tools.LevelChat},
		func(_ context.Context, in input) (any, error) {
			t := now()
			name := zoneOf(t)
			if in.Timezone != "" {
				loc, err := location(in.Timezone)
				if err != nil {
					return nil, err
				}
				t, name = t.In(loc), loc.String()
			}
			return reading{
				Time: t.Format(time.RFC3339), Timezone: name, Weekday: t.Weekday().String(),
				Unix: t.Unix(), UTCOffset: t.Format("-07:00"),
			}, nil
		})
}

// zoneOf names the zone of t. The time package calls the machine's own zone Local,
// which tells a person little; its abbreviation helps.
func zoneOf(t time.Time) string {
	if name := t.Location().String(); name != "Local" && name != "" {
		return name
	}
	abbreviation, _ := t.Zone()
	return abbreviation
}

// location finds a zone by its IANA name.
func location(name string) (*time.Location, error) {
	unknown := tools.Fail(tools.ErrInvalidArguments,
		"there is no such time zone; use an IANA name such as Europe/Berlin, Asia/Tokyo or UTC", nil)
	if len(name) > maxZoneName || strings.EqualFold(name, "local") || strings.Contains(name, "..") {
		return nil, unknown
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown.Because(err)
	}
	return loc, nil
}
