package wire_test

import (
	"testing"
	"time"

	"parley/pkg/channels/wire"
)

func TestPauses(t *testing.T) {
	t.Parallel()
	p := wire.NewPauses(time.Second, 3*time.Second)
	for i, c := range []struct {
		refused    bool
		retryAfter time.Duration
		want       time.Duration // and up to a quarter more
		lasting    bool
	}{
		{want: time.Second},
		{want: 2 * time.Second},
		{retryAfter: time.Minute, want: time.Minute},
		{want: 3 * time.Second},
		{refused: true, want: time.Second},
		{refused: true, want: 5 * time.Second, lasting: true},
		{want: 3 * time.Second},
		{refused: true, want: time.Second},
	} {
		after := func() time.Duration { return p.Failed(c.retryAfter) }
		if c.refused {
			after = p.Refused
		}
		if got := after(); got < c.want || got > c.want*5/4 || p.Lasting() != c.lasting {
			t.Errorf("attempt %d: a pause of %v, lasting %v, want %+v", i, got, p.Lasting(), c)
		}
	}
	if p.Reset(); p.Lasting() || p.Failed(0) > 2*time.Second {
		t.Error("the pauses do not begin anew")
	}
}
