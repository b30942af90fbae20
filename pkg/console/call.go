package console

import (
	"time"

	"charm.land/bubbles/v2/spinner"

	"parley/pkg/console/ansi"
	"parley/pkg/events"
)

// call is a call of a tool.
type call struct {
	// about is the tool, and what the call is about.
	id, about string
	began     time.Time
	// note is how far it is.
	note string
	// over says that it has ended; mark, took and short are how. A negative time is unknown.
	over  bool
	mark  mark
	took  time.Duration
	short string
}

// mark is the beginning of the line about a call.
type mark struct {
	text string
	role ansi.Role
}

// end notes the result of a call.
func (c *call) end(d *events.Result) {
	c.over, c.mark = true, mark{"✓", ansi.Good}
	if d.IsError {
		c.mark = mark{"✗", ansi.Bad}
	}
	c.took = -1
	if d.DurationMS != nil {
		c.took = time.Duration(*d.DurationMS) * time.Millisecond
	}
	c.short = shortResult(d.Result, c.about)
}

// stop notes that a turn has ended before a call.
func (c *call) stop(why string) {
	if c.over {
		return
	}
	c.over, c.took = true, -1
	if why == events.StopAsked {
		c.mark, c.short = mark{"?", ansi.Busy}, textWaitsForYou
	} else {
		c.mark, c.short = mark{"✗", ansi.Bad}, textNoResult
	}
}

// line is a call on one line.
func (c *call) line(width, spin int) ansi.Line {
	sign, rest, took := c.mark, c.short, c.took
	if !c.over {
		sign, rest, took = mark{picture(spin), ansi.Busy}, c.note, time.Since(c.began).Truncate(time.Second)
		if rest == "" {
			rest = "…"
		}
	}
	var l ansi.Line
	l.Put(sign.text+" ", ansi.Look{Role: sign.role})
	l.Put(c.about, ansi.Look{})
	faint := ansi.Look{Role: ansi.Faint}
	if took >= 0 && (c.over || took >= time.Second) {
		l.Put(" · "+shortTime(took), faint)
	}
	if rest != "" {
		l.Put(" · "+rest, faint)
	}
	return l.Clip(width)
}

// spinAt is the number of the present picture of a spinner.
func spinAt() int { return int(time.Now().UnixMilli() / spinEvery.Milliseconds()) }

// picture is one of something that goes on.
func picture(n int) string {
	frames := spinner.MiniDot.Frames
	return frames[n%len(frames)]
}
