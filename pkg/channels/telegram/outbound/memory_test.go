package outbound_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/pkg/channels"
	"parley/pkg/channels/telegram/api"
	"parley/pkg/channels/telegram/outbound"
)

// TestPreviewsThatNobodyFinishedAreForgotten: the number of abandoned previews is
// bounded by the events of a few minutes, not by the number of chats.
func TestPreviewsThatNobodyFinishedAreForgotten(t *testing.T) {
	t.Parallel()
	client, err := api.New(api.Options{Token: func() string { return "1:token" }})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := outbound.New(outbound.Options{API: client})
		for round := range 5 {
			for i := range 1000 {
				s.Preview(channels.Address{Chat: fmt.Sprintf("%d/%d", round, i)})
			}
			<-time.After(time.Hour)
		}
		if n := s.Previewing(); n > 2000 {
			t.Errorf("%d waits are remembered, of 1000 in the last hour", n)
		}
	})
}
