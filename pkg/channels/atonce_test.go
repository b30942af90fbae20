package channels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"parley/pkg/channels"
)

// screen is a platform whose messages are read in the store.
type screen struct {
	*platform

	show func(channels.Part)
}

func (s screen) Show(_ context.Context, part channels.Part) { s.show(part) }

// TestWhichMessagesAreDeliveredAtOnce: texts are, cleaned as on the whole way; files, questions, previews,
// and messages that are late or empty are not. A message that took the whole way is kept with its chat, too. A
// screen that panics does not take the store along.
func TestWhichMessagesAreDeliveredAtOnce(t *testing.T) {
	t.Parallel()
	box := newOutbox()
	var shown []string
	show := func(part channels.Part) {
		if part.Text == "boom" {
			panic(part.Text)
		}
		shown = append(shown, part.ID+": "+part.Text)
	}
	settled := make(chan string, 9)
	e := channels.NewEgress(channels.EgressOptions{
		Outbox: box, Channel: screen{&platform{box: box}, show}, Log: zerolog.Nop(),
		Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "***") },
		Settled: func(o channels.Outbound, out channels.Outcome) {
			settled <- fmt.Sprint(o.ID, ": ", o.Text, ": ", out.State, " ", out.Kept)
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	ready := <-box.ready
	now := time.Now()
	for _, o := range []channels.Outbound{
		{ID: "plain", Text: "my secret", Time: now},
		{ID: "in time", Text: "one", Aged: true, Time: now},
		{ID: "old", Text: "two", Time: now.Add(-time.Hour)},
		{ID: "panic", Text: "boom", Time: now},
		{ID: "late", Text: "no", Aged: true, Time: now.Add(-time.Hour)},
		{ID: "file", Text: "no", Time: now, File: &channels.File{Name: "f"}},
		{ID: "question", Text: "no", Time: now, Buttons: []channels.Button{{Label: "Yes", Data: "y"}}},
		{ID: "preview", Text: "no", Time: now, Preview: true},
		{ID: "empty", Text: " \n", Time: now},
	} {
		if show, ok := ready(&o); ok {
			show()
		}
	}
	box.put("a", "queued", "three")
	for _, want := range []string{
		"plain: my secret: delivered true", "in time: one: delivered true", "old: two: delivered true", "panic: boom: delivered true",
		"queued: three: delivered true",
	} {
		if got := <-settled; got != want {
			t.Errorf("settled: %s, want %s", got, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"plain: my ***", "in time: one", "old: two"}, shown); d != "" {
		t.Errorf("shown: %s", d)
	}
}
