package schedule

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/pkg/text"
)

// maxQuoted is how much of an argument an error repeats, in characters.
const maxQuoted = 60

// given names the first argument that alters a job, or "".
func (in input) given() string {
	for _, a := range []struct{ name, value string }{
		{"text", in.Text},
		{"name", in.Name},
		{"in", in.In},
		{"at", in.At},
		{"every", in.Every},
		{"cron", in.Cron},
		{"timezone", in.Timezone},
		{"catch_up", in.CatchUp},
	} {
		if a.value != "" {
			return a.name
		}
	}
	if in.Prompt != nil {
		return "prompt"
	}
	return ""
}

// write puts the text and the name into a job.
func (in input) write(j *Job) error {
	if n := utf8.RuneCountInString(in.Text); n > MaxText {
		return refuse("text has %d characters and may have %d", n, MaxText)
	}
	if n := utf8.RuneCountInString(in.Name); n > MaxName {
		return refuse("name has %d characters and may have %d", n, MaxName)
	}
	if strings.ContainsFunc(in.Name, unseen) {
		return refuse("name has line breaks or characters that nobody sees; use letters, digits and punctuation")
	}
	if strings.TrimSpace(in.Text) != "" {
		j.Text = in.Text
	} else if in.Text != "" {
		return refuse("text cannot be blank")
	}
	if name := strings.TrimSpace(in.Name); name != "" {
		j.Name = name
	}
	if in.Prompt != nil {
		j.Prompt = *in.Prompt
	}
	return nil
}

// unseen says whether a character has no shape of its own in a line.
func unseen(r rune) bool {
	switch r {
	case utf8.RuneError, '\u2800', '\uFFFC':
		return true
	}
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Me)
}

// spec reads when a job is due, and returns notes for the person.
func (d desk) spec(ctx context.Context, in input) (s Spec, note string, err error) {
	if n := given(in.In, in.At, in.Every, in.Cron); n != 1 {
		return s, "", refuse("exactly one of in, at, every and cron says when; %d are given", n)
	}
	s.CatchUp = in.CatchUp
	if s.Zone, err = d.zone(ctx, in); err != nil {
		return s, "", err
	}
	switch {
	case in.Cron != "":
		s.Cron = strings.ToLower(strings.Join(strings.Fields(in.Cron), " "))
	case in.Every != "":
		every, err := parseDuration(in.Every)
		if err != nil {
			return s, "", refuse("every: %s", err)
		}
		s.Every = every.String()
	case in.In != "":
		after, err := parseDuration(in.In)
		if err != nil {
			return s, "", refuse("in: %s", err)
		}
		const almost = time.Second - 1 // to the next whole second
		s.At = d.Now().Add(after + almost).UTC().Truncate(time.Second).Format(time.RFC3339)
	default:
		if s.At, note, err = d.at(in.At, s.Zone); err != nil {
			return s, "", err
		}
	}
	return s, note, s.fits()
}

// fits reports the model's mistakes. It asks for an unknown zone last: before a
// person is asked for it, everything else is correct.
func (s Spec) fits() error {
	known := s
	known.Zone = cmp.Or(s.Zone, time.UTC.String())
	if _, err := known.plan(); err != nil {
		return refuse("%s", err)
	}
	if s.Cron != "" && s.Zone == "" {
		return needZone()
	}
	return nil
}

// zone is the given one, else the kept one, else the configured one, or "".
func (d desk) zone(ctx context.Context, in input) (string, error) {
	if in.Timezone != "" {
		return in.Timezone, nil // it was looked at before
	}
	kept, err := d.Book.Zone(ctx)
	if err != nil {
		return "", err
	}
	names := []string{kept}
	if d.Zone != nil {
		names = append(names, d.Zone(ctx))
	}
	for _, name := range names {
		if _, err := location(name); err == nil {
			return name, nil
		}
	}
	return "", nil
}

func needZone() error {
	return refuse(
		"the time zone of this chat is not known: ask the person where they are, and call again with timezone, such as " +
			"Europe/Berlin; it is asked for once",
	)
}

// at reads a time, in a zone where it has no offset of its own.
func (d desk) at(given, zone string) (at, note string, err error) {
	upper := strings.ToUpper(strings.TrimSpace(given))
	t, local, ok := readTime(upper)
	if !ok {
		t, ok = readNamed(upper, d.Now().In(zoneOr(zone, time.UTC)))
		local = true
	}
	if !ok {
		return "", "",
			refuse("%s is no time; write it like 2026-11-22 09:00, tomorrow 09:00, monday 09:00, or with an offset 2026-11-22T09:00:00+01:00",
				quoted(given))
	}
	if local && zone == "" {
		return "", "", needZone()
	}
	loc := time.UTC
	if zone != "" {
		if loc, err = location(zone); err != nil {
			return "", "", refuse("%s", err)
		}
	}
	if local {
		wall := t
		t = instant(wall, loc)
		if shown := t.In(loc); shown.Hour() != wall.Hour() || shown.Minute() != wall.Minute() || shown.Day() != wall.Day() {
			note = fmt.Sprintf("The clocks change then and never show %s; it is due at %s.", wall.Format("15:04"), shown.Format("15:04"))
		}
	}
	now := d.Now()
	switch {
	case !t.After(now):
		return "", "", refuse("%s is over: in %s it is now %s", quoted(given), loc, now.In(loc).Format("Monday 2006-01-02 15:04:05"))
	case t.Sub(now) > MaxAhead:
		return "", "", refuse("%s is more than 10 years away, which is too far", quoted(given))
	}
	return t.UTC().Format(time.RFC3339), note, nil
}

// readTime reads a time; local says that it has no offset and is given as if in UTC.
func readTime(upper string) (t time.Time, local, ok bool) {
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05"} {
		for _, l := range []string{layout, strings.Replace(layout, " ", "T", 1)} {
			if t, err := time.Parse(l, upper); err == nil {
				return t, true, true
			}
			for _, offset := range []string{"Z07:00", " Z07:00", "-0700", " -0700"} {
				if t, err := time.Parse(l+offset, upper); err == nil {
					return t, false, true
				}
			}
		}
	}
	return time.Time{}, false, false
}

// quoted is an argument in an error: short, and without anything invisible.
func quoted(s string) string { return text.Quote(s, maxQuoted) }
