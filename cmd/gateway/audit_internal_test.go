package main

import (
	"testing"
	"time"
)

func TestSinceTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	for s, want := range map[string]time.Time{
		"":                     {},
		"90m":                  now.Add(-90 * time.Minute),
		"-90m":                 now.Add(-90 * time.Minute),
		"2026-01-31":           time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local),
		"2026-01-31 08:00:00":  time.Date(2026, 1, 31, 8, 0, 0, 0, time.Local),
		"2026-01-31T08:00:00Z": time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC),
	} {
		if got, err := sinceTime(s, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	if _, err := sinceTime("yesterday", now); err == nil {
		t.Error("yesterday is a time")
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	if got := printable("a\x1b[2J\n\"é\u202e"); got != `a\x1b[2J\n"é\u202e` {
		t.Errorf("got %s", got)
	}
}
