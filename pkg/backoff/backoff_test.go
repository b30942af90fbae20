package backoff_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/backoff"
)

func TestBackoffGrows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, last time.Duration
		want        []time.Duration
	}{
		"doubles up to the last": {time.Second, 5 * time.Second, []time.Duration{1e9, 2e9, 4e9, 5e9, 5e9}},
		"of one length":          {time.Second, time.Second, []time.Duration{1e9, 1e9}},
		"a first above the last": {time.Minute, time.Second, []time.Duration{1e9, 1e9}},
		"without end": {math.MaxInt64/2 - 1, math.MaxInt64, []time.Duration{
			math.MaxInt64/2 - 1, math.MaxInt64 - 3, math.MaxInt64, math.MaxInt64,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := backoff.New(c.first, c.last)
			for range 2 {
				var got []time.Duration
				for range c.want {
					got = append(got, b.Next())
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%v, want %v", got, c.want)
				}
				b.Reset()
			}
		})
	}
}

func TestDrawnPauses(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, time.Millisecond, time.Second, 24 * time.Hour} {
		for range 1000 {
			if got := backoff.Spread(d); got < d || got > d+d/4 {
				t.Fatalf("Spread(%v) = %v, want up to a quarter more", d, got)
			}
			if got := backoff.Below(d); got < 0 || got > d {
				t.Fatalf("Below(%v) = %v", d, got)
			}
		}
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if !backoff.Sleep(t.Context(), time.Hour) || time.Since(began) != time.Hour {
			t.Errorf("slept %v, want an hour", time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if began = time.Now(); backoff.Sleep(ctx, time.Hour) || time.Since(began) != time.Minute {
			t.Errorf("slept %v beyond the end of the context, want a minute", time.Since(began))
		}
	})
}
