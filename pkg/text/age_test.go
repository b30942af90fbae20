package text_test

import (
	"testing"
	"time"

	"parley/pkg/text"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		0:                                   "0 minutes ago",
		29 * time.Second:                    "0 minutes ago",
		31 * time.Second:                    "1 minute ago",
		59*time.Minute + 29*time.Second:     "59 minutes ago",
		59*time.Minute + 31*time.Second:     "1 hour ago",
		89 * time.Minute:                    "1 hour ago",
		91 * time.Minute:                    "2 hours ago",
		23*time.Hour + 31*time.Minute:       "1 day ago",
		day + 11*time.Hour + 59*time.Minute: "1 day ago",
		400 * day:                           "400 days ago",
	} {
		if got := text.Ago(d); got != want || text.Roughly(d)+" ago" != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
